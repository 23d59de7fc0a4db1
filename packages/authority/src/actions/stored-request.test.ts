import { describe, expect, it } from 'vitest';
import { readRequest, writeRequest } from './stored-request.ts';
import type { ActionRequest } from './types.ts';

const REQUEST: ActionRequest = {
  ...{ origin: 'o', session: 's', agent: 'a', argv: ['systemctl', 'restart', 'nginx'], cwd: '/', profile: 'ops' },
  ...{ runner: 'shell', network: ['example.org:443'], isolation: 'none', inner: [['systemctl', 'restart', 'nginx']] },
};

describe('a request that is stored with its command', () => {
  it('reads as it was written, with and without what it may have', () => {
    for (const request of [REQUEST, { ...REQUEST, stdin: 'aGk=', target: 'self/service/nginx', network: 'deny' }]) {
      expect(readRequest(writeRequest(request as ActionRequest))).toEqual(request);
    }
  });
  it('is none where a part is missing, of another kind, or not known', () => {
    const { argv: _, ...withoutArguments } = REQUEST;
    for (const request of [withoutArguments, { ...REQUEST, argv: 'rm -rf /' }, { ...REQUEST, more: 1 }, null, []]) {
      expect(readRequest(JSON.parse(JSON.stringify(request)))).toBeUndefined();
    }
  });
});
