import { silentLogger } from '@writ/core';
import { afterEach, describe, expect, it } from 'vitest';
import { createDispatcher } from '../dispatch.ts';
import { createEntrances } from '../entrance.ts';
import { createRegistry } from '../registry.ts';
import { createFakeNode } from '../testing/fake-node.ts';
import { createHttpSessions } from './http-sessions.ts';
import { createToolDefinitions } from './tool-definitions.ts';

const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
};

const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const NO_UPSTREAMS = {
  ...{ offered: async () => [], owns: () => false, call: () => Promise.reject(), close: async () => {} },
  ...{ onChange: () => () => {}, problems: () => [] },
};

function createWorld() {
  const { ports, clock } = createFakeNode();
  const registry = createRegistry([]);
  const sessions = createHttpSessions({
    ...{ definitions: createToolDefinitions(registry), enter: createEntrances() },
    ...{ registry, dispatcher: createDispatcher(registry, ports.scope), clock, logger: silentLogger },
    ...{ sessions: ports.sessions, node: ports.node, random: ports.random },
    follow: async function* () {},
    upstreams: NO_UPSTREAMS,
  });
  ends.push(() => sessions.close());
  const initialize = (how?: 'and is idle'): Promise<Response> => {
    const signal = how === undefined ? new AbortController().signal : AbortSignal.abort();
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers });
    return sessions.fetch({ request, body: INITIALIZE, caller: { kind: 'host' }, toolsets: [], signal });
  };
  return { initialize };
}

describe('sessions that are begun at the same time', () => {
  it('never share the one place that is left', async () => {
    const { initialize } = createWorld();
    for (let count = 0; count < 63; count += 1) await initialize();
    await initialize('and is idle');
    const begun = await Promise.allSettled([initialize(), initialize(), initialize()]);
    expect(begun.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(begun[1]).toMatchObject({ reason: { code: 'RATE_LIMITED' } });
  });
});
