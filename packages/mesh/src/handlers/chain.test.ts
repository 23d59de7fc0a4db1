import { createSystemClock, digestJson, type Json } from '@writ/core';
import { issueWrit, type WritClaims, writDigest } from '@writ/identity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import type { TestNode } from '../testing/test-node.ts';

const SPEC = { input: { kind: 'argv', argv: ['true'] }, profile: 'query' } as const;
const nodes = createNodeSet();
let alpha: TestNode;
let beta: TestNode;
let gamma: TestNode;

beforeEach(async () => {
  [alpha, beta, gamma] = [await nodes.start('alpha'), await nodes.start('beta'), await nodes.start('gamma')];
  await beta.trust(gamma);
  await gamma.trust(beta);
});
afterEach(() => nodes.closeAll());

/** What alpha signed for beta. */
function first(): WritClaims {
  const iat = Math.floor(createSystemClock().nowMs() / 1000);
  return {
    ...{ v: 1, iss: alpha.id, aud: beta.id, task: 'task-1', origin: alpha.id, session: 's-1', agent: 'a-1' },
    profile: 'relay',
    grant: {
      closure: ['inspect_status', 'read_repo', 'subdelegate'],
      workspaces: ['app'],
      network: ['a.example:443'],
      maxOutputBytes: 1000,
    },
    ...{ depth: 2, iat, exp: iat + 600, nonce: '1'.repeat(32), request: digestJson({}), generation: 1 },
  };
}

/** What beta signs for gamma after it, honestly. */
function second(before: WritClaims, compact: string): WritClaims {
  const { origin, session, agent, iat, exp } = before;
  return {
    ...{ v: 1, iss: beta.id, aud: gamma.id, task: 'task-2', origin, session, agent, profile: 'query' },
    grant: { closure: ['inspect_status'], workspaces: [], network: 'deny', maxOutputBytes: 10 },
    ...{ depth: 1, iat, exp: exp - 1, nonce: '2'.repeat(32), prev: writDigest(compact) },
    ...{ request: digestJson(SPEC as unknown as Json), generation: 1 },
  };
}

/** Beta hands its task on to gamma, with `change` made to what it signs. */
async function handOn(
  change: (claims: WritClaims) => WritClaims = (claims) => claims,
  writs: (one: string, two: string) => readonly string[] = (one, two) => [one, two],
): Promise<string> {
  const one = issueWrit(alpha.identity, first());
  const two = issueWrit(beta.identity, change(second(first(), one)));
  const outgoing = { task: 'task-2', idempotencyKey: 'key-2', spec: SPEC, session: 's-1', agent: 'a-1' };
  return beta.clients
    .client(gamma.id)
    .submit({ ...outgoing, writs: writs(one, two) })
    .then(
      (answer) => (answer.accepted ? 'accepted' : answer.decision.code),
      (error: { code: string }) => error.code,
    );
}

const grant = (claims: WritClaims, more: Partial<WritClaims['grant']>): WritClaims => ({
  ...claims,
  grant: { ...claims.grant, ...more },
});

describe('a chain of two over the mesh', () => {
  it('is taken on in the name of its origin, with the writs that the next hop will need', async () => {
    expect(await handOn()).toBe('accepted');
    expect(gamma.executor.submitted).toMatchObject([
      {
        subject: { from: beta.id, origin: alpha.id, session: 's-1' },
        agent: 'a-1',
        chain: { ids: [alpha.id, beta.id] },
      },
    ]);
    expect(gamma.executor.submitted[0]?.writs).toHaveLength(2);
  });

  it.each<[string, string, (claims: WritClaims) => WritClaims]>([
    ['the origin is the liar itself', 'CHAIN_MISMATCH', (c) => ({ ...c, origin: beta.id })],
    ['another session', 'CHAIN_MISMATCH', (c) => ({ ...c, session: 's-2' })],
    ['another agent', 'CHAIN_MISMATCH', (c) => ({ ...c, agent: 'a-2' })],
    ['another audience', 'CHAIN_MISMATCH', (c) => ({ ...c, aud: alpha.id })],
    ['another hop before', 'CHAIN_MISMATCH', (c) => ({ ...c, prev: '0'.repeat(64) })],
    ['no hop before', 'CHAIN_MISMATCH', ({ prev: _, ...c }) => c],
    ['a task of another request', 'WRIT_INVALID', (c) => ({ ...c, task: 'task-3' })],
    ['another request', 'WRIT_INVALID', (c) => ({ ...c, request: digestJson({ other: true }) })],
    ['another profile', 'WRIT_INVALID', (c) => ({ ...c, profile: 'repo-dev' })],
    ['a workspace that was not asked for', 'WRIT_INVALID', (c) => ({ ...c, workspace: 'app' })],
    ['the same depth', 'WRIT_INVALID', (c) => ({ ...c, depth: 2 })],
    ['a later end', 'WRIT_INVALID', (c) => ({ ...c, exp: c.exp + 2 })],
    ['an end that is over', 'WRIT_EXPIRED', (c) => ({ ...c, iat: c.iat - 900, exp: c.iat - 300 })],
    ['a capability more', 'WRIT_INVALID', (c) => grant(c, { closure: ['inspect_status', 'push_repo'] })],
    ['a workspace more', 'WRIT_INVALID', (c) => grant(c, { workspaces: ['app', 'secret'] })],
    ['the whole network', 'WRIT_INVALID', (c) => grant(c, { network: 'allow' })],
    ['another host', 'WRIT_INVALID', (c) => grant(c, { network: ['b.example:443'] })],
    ['more output', 'WRIT_INVALID', (c) => grant(c, { maxOutputBytes: 1001 })],
  ])('is refused where the one in the middle claims %s (%s)', async (_what, code, change) => {
    expect(await handOn(change)).toBe(code);
    expect(gamma.executor.submitted).toEqual([]);
  });

  it.each<[string, string, (one: string, two: string) => readonly string[]]>([
    ['without its beginning', 'CHAIN_MISMATCH|WRIT_INVALID', (_one, two) => [two]],
    ['without its end', 'CHAIN_MISMATCH', (one) => [one]],
    ['the wrong way round', 'CHAIN_MISMATCH|WRIT_INVALID', (one, two) => [two, one]],
    ['with a hop twice', 'CHAIN_MISMATCH|WRIT_INVALID|CHAIN_CYCLE', (one, two) => [one, two, two]],
    ['longer than any may be', 'CHAIN_TOO_DEEP', (one, two) => [...Array<string>(8).fill(one), two]],
  ])('is refused %s (%s)', async (_what, codes, writs) => {
    expect(await handOn(undefined, writs)).toMatch(new RegExp(`^(${codes})$`));
    expect(gamma.executor.submitted).toEqual([]);
  });

  it('is refused as a circle by whoever was in it before', async () => {
    await beta.trust(alpha);
    await alpha.trust(beta);
    const one = issueWrit(alpha.identity, first());
    const two = issueWrit(beta.identity, { ...second(first(), one), aud: alpha.id });
    const outgoing = { task: 'task-2', idempotencyKey: 'key-2', spec: SPEC, session: 's-1', agent: 'a-1' };
    const submit = beta.clients.client(alpha.id).submit({ ...outgoing, writs: [one, two] });
    await expect(submit).rejects.toMatchObject({ code: 'CHAIN_CYCLE' });
    expect(alpha.executor.submitted).toEqual([]);
  });
});
