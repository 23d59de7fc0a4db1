import { digestJson, type Json, nodeIdFromBase32 } from '@writ/core';
import type { VerifiedChain } from '@writ/identity';
import { createFakeClock } from '@writ/testkit/clock';
import { createScriptedRunner, createTestNode, NODE_IDS } from '@writ/testkit/delegation';
import { expect, it } from 'vitest';

const { alpha, beta } = NODE_IDS;
const gamma = nodeIdFromBase32('c'.repeat(32));
const NOW_MS = Date.UTC(2026, 0, 1);

const POLICY = `schema = 1
[node]
name = "beta"
[profiles.fetch]
capabilities = ["use_network"]
commands = [["true"]]
network = ["a.example:1", "b.example:2"]
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
[peers.alpha]
id = "${alpha}"
profiles = ["fetch"]
accept_origins = ["gamma"]
[origins.gamma]
id = "${gamma}"
`;

const SPEC = { input: { kind: 'argv', argv: ['true'] }, profile: 'fetch' } as const;

type Grant = VerifiedChain['last']['grant'];

/** A chain from gamma over alpha to beta, with what each hop grants. */
function chainOf(first: Partial<Grant>, second: Partial<Grant>): VerifiedChain {
  const hop = (iss: string, aud: string, grant: Partial<Grant>): VerifiedChain['last'] => ({
    ...{ v: 1, iss, aud, task: 't1', origin: gamma, session: 's1', agent: 'tester', depth: 0, generation: 1 },
    ...{ iat: NOW_MS / 1000, exp: NOW_MS / 1000 + 3600, nonce: '0'.repeat(32) },
    request: digestJson(SPEC as unknown as Json),
    grant: {
      ...{ closure: ['subdelegate', 'use_network'], workspaces: [], network: 'allow', maxOutputBytes: 1000 },
      ...grant,
    },
  });
  const hops = [hop(gamma, alpha, first), hop(alpha, beta, second)] as const;
  return { hops, ids: [gamma, alpha], last: hops[1] };
}

it('network and output of every hop bound what is decided, also when it is decided again', async () => {
  const clock = createFakeClock(NOW_MS);
  const runner = createScriptedRunner({ clock });
  const node = await createTestNode({ clock, runner, policy: POLICY, inMemory: true });
  try {
    const lease = { peer: 'alpha', profile: 'fetch', durationMs: 3_600_000, origin: gamma, issuedBy: 'person' };
    node.authority.grantLease(lease);
    const answer = await node.executor.submit({
      ...{ task: 't1', idempotencyKey: 'k1', agent: 'tester', spec: SPEC },
      subject: { from: alpha, origin: gamma, session: 's1' },
      chain: chainOf({ network: ['a.example:1', 'c.example:3'], maxOutputBytes: 500 }, { maxOutputBytes: 700 }),
    });
    expect(answer).toMatchObject({
      accepted: true,
      decision: { grant: { network: ['a.example:1'], maxOutputBytes: 500 } },
    });
    expect((await runner.runOf('t1')).spec.maxOutputBytes).toBe(500);
    expect(node.executor.get('t1')?.bounds).toMatchObject({
      grantNetwork: ['a.example:1', 'c.example:3'],
      maxOutputBytes: 500,
    });
  } finally {
    await node.close();
  }
});
