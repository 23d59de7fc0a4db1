import { hostileNames } from '@writ/testkit/names';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { submitFrom, type TestNode } from '../testing/test-node.ts';

const nodes = createNodeSet();
let alpha: TestNode;
let beta: TestNode;
beforeAll(async () => {
  // Many calls in no time: how many a peer may make is not what is asked here.
  ({ alpha, beta } = await nodes.pair({ peerRate: { perSecond: 100_000, burst: 100_000 } }));
});
afterAll(() => nodes.closeAll());

const SPEC = { input: { kind: 'argv', argv: ['true'] }, profile: 'query' } as const;

/** On the wire an empty text says that nothing is named; what is no UTF-8 does not get there. */
const NAMES = hostileNames().filter(({ isName, name }) => !isName && name !== '' && !/\p{Cs}/u.test(name));

describe('a name over the mesh', () => {
  it.each(NAMES)('is none: $shown; nothing is asked of the executor, nothing is counted', async ({ name }) => {
    const client = alpha.clients.client(beta.id);
    for (const field of ['profile', 'workspace', 'runner']) {
      // The writ is of a good request; what comes with it names something else.
      const good = submitFrom(alpha, beta, { task: 'task-n', spec: SPEC });
      const codes = [
        client.submit({ ...good, spec: { ...SPEC, [field]: name } }),
        client.checkPolicy({ profile: 'query', [field]: name }),
      ].map((call) =>
        call.then(
          () => 'accepted',
          (error: { code: string }) => error.code,
        ),
      );
      expect(await Promise.all(codes)).toEqual(['BAD_REQUEST', 'BAD_REQUEST']);
    }
    expect(beta.executor.submitted).toEqual([]);
    expect(beta.questions).toEqual([]);
  });
});
