import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemRandom, digestJson, type Json } from '@writ/core';
import {
  extendWrit,
  extensionsOf,
  issueWrit,
  type NodeIdentity,
  verifyChain,
  type WritClaims,
  writDigest,
} from '@writ/identity';
import type { TaskSpec } from '@writ/task-store';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  createScriptedRunner,
  createTestNode,
  NODE_IDS,
  openTestIdentity,
  pinOf,
  type ScriptedRunner,
  type TestNode,
} from '@writ/testkit/delegation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const { alpha, beta, gamma } = NODE_IDS;
const LIFE_S = 600;
const HOUR_MS = 3_600_000;

const POLICY = `schema = 1
[node]
name = "beta"
default_profile = "query"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
timeout = "2h"
[profiles.steady]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
timeout = "2h"
on_partition = "continue"
[profiles.lent]
capabilities = ["subdelegate"]
runner = "shell"
isolation = "none"
timeout = "2h"
require_explicit = true
require_lease = true
[peers.gamma]
id = "${gamma}"
profiles = ["query", "steady", "lent"]
accept_origins = ["alpha"]
[peers.alpha]
id = "${alpha}"
profiles = ["query"]
`;

let home: string;
let origin: NodeIdentity;
let sender: NodeIdentity;
let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;
let startS: number;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'writ-renewing-'));
  const place = { clock: createFakeClock(Date.UTC(2026, 0, 1)), random: createSystemRandom() };
  origin = await openTestIdentity(alpha, { ...place, dir: join(home, 'alpha') });
  sender = await openTestIdentity(gamma, { ...place, dir: join(home, 'gamma') });
});
afterAll(() => rm(home, { recursive: true, force: true }));

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  startS = clock.nowMs() / 1000;
  runner = createScriptedRunner({ clock });
  node = await createTestNode({ clock, runner, policy: POLICY, slots: 1 });
});
afterEach(() => node.close());

/** A task that alpha asked of gamma and gamma of this node; its two writs. */
async function submit(task: string, profile = 'query'): Promise<readonly [string, string]> {
  const spec: TaskSpec = { input: { kind: 'argv', argv: ['true'] }, profile };
  const grant = {
    closure: ['edit_repo', 'inspect_status', 'read_repo', 'shell', 'subdelegate'],
    workspaces: [],
    network: 'allow',
  } as const;
  const first: WritClaims = {
    ...{
      v: 1,
      iss: alpha,
      aud: gamma,
      task: `parent-of-${task}`,
      origin: alpha,
      session: 's',
      agent: 'a',
      generation: 1,
    },
    ...{ grant: { ...grant, maxOutputBytes: 1e6 }, depth: 3, iat: startS, exp: startS + LIFE_S },
    ...{ nonce: '1'.repeat(32), request: '0'.repeat(64) },
  };
  const one = issueWrit(origin, first);
  const last: WritClaims = {
    ...{ ...first, iss: gamma, aud: beta, task, depth: 2, prev: writDigest(one), profile },
    ...{ nonce: digestJson(task).slice(0, 32), request: digestJson(spec as unknown as Json) },
  };
  const writs = [one, issueWrit(sender, last)] as const;
  const check = { self: beta, tlsPeer: gamma, nowMs: clock.nowMs(), maxChain: 8 };
  const chain = verifyChain(writs, check, { get: pinOf });
  const subject = { from: gamma, origin: alpha, session: 's' };
  const answer = await node.executor.submit({ task, idempotencyKey: task, spec, subject, agent: 'a', chain, writs });
  expect(answer.accepted ? 'accepted' : answer.decision.code).toBe('accepted');
  return writs;
}

/** Extensions of both hops, or of one, to so many seconds after the start. */
function more([one, two]: readonly [string, string], lives: { first?: number; last?: number }): readonly string[] {
  const iat = Math.floor(clock.nowMs() / 1000);
  const extend = (by: NodeIdentity, writ: string, lifeS?: number): string =>
    lifeS === undefined ? writ : extendWrit(by, writ, { iat, exp: startS + lifeS });
  return extensionsOf([extend(origin, one, lives.first), extend(sender, two, lives.last)]);
}

const endOf = (task: string): number | undefined => node.executor.get(task)?.bounds.writExpiresAtMs;
const audited = (action: string): number =>
  node.database.auditTail(50).filter((entry) => entry.action === action).length;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function ended(task: string): Promise<string> {
  for await (const _ of node.executor.watch(task, 0, new AbortController().signal)) void _;
  const { state, outcome } = node.executor.get(task) ?? {};
  return `${state} ${outcome?.code}`;
}

describe('what runs when its writ ends', () => {
  it('is ended as WRIT_EXPIRED, with the reason, where its profile says cancel', async () => {
    await submit('t1');
    const run = await runner.runOf('t1');
    expect(run.spec.timeoutMs).toBe(2 * HOUR_MS);
    clock.advance(LIFE_S * 1000 - 1);
    expect(run.stops).toEqual([]);
    clock.advance(1);
    expect(await ended('t1')).toBe('failed WRIT_EXPIRED');
    expect(node.executor.get('t1')?.outcome?.message).toMatch(/on_partition/);
  });

  it('goes on where its profile says continue, and nothing else starts or is handed on', async () => {
    await submit('t1', 'steady');
    await submit('t2', 'steady');
    const run = await runner.runOf('t1');
    clock.advance(LIFE_S * 1000);
    expect(run.stops).toEqual([]);
    const { expiresAtMs } = node.database.withReadTx((tx) => node.executor.context(tx, 't1'));
    expect(expiresAtMs).toBe(clock.nowMs());
    run.exit(0);
    expect(await ended('t1')).toBe('completed undefined');
    expect(await ended('t2')).toBe('failed WRIT_EXPIRED');
    expect(runner.runs).toHaveLength(1);
  });

  it('goes by what its profile said when it was started', async () => {
    await submit('t1', 'steady');
    const run = await runner.runOf('t1');
    await node.engine.reload(POLICY.replace('on_partition = "continue"', ''), { acceptWidening: true });
    clock.advance(LIFE_S * 1000);
    expect(run.stops).toEqual([]);
  });
});

describe('a renewal', () => {
  it('of every hop moves the end of what runs, is kept with the task, and is audited', async () => {
    const writs = await submit('t1');
    const run = await runner.runOf('t1');
    clock.advance((LIFE_S * 1000) / 2);
    const answer = await node.executor.renew('t1', more(writs, { first: 1000, last: 900 }));
    expect(answer).toEqual({ renewed: true, expiresAtMs: (startS + 900) * 1000 });
    expect(endOf('t1')).toBe((startS + 900) * 1000);
    expect(node.executor.writs('t1').map(({ exp }) => exp - startS)).toEqual([1000, 900]);
    expect(audited('task.writ-renewed')).toBe(1);
    clock.advance(600_000 - 1);
    expect(run.stops).toEqual([]);
    clock.advance(1);
    expect(await ended('t1')).toBe('failed WRIT_EXPIRED');
  });

  it('lets what waits start after the first end, and a result name the chain that it ran under', async () => {
    const writs = await submit('t1');
    await submit('t2');
    const held = await runner.runOf('t1');
    await node.executor.renew('t1', more(writs, { first: 900, last: 900 }));
    const second = await submit('t3');
    await node.executor.renew('t3', more(second, { first: 900, last: 900 }));
    clock.advance(LIFE_S * 1000);
    held.exit(0);
    expect(await ended('t2')).toBe('failed WRIT_EXPIRED');
    (await runner.runOf('t3')).exit(0);
    expect(await ended('t3')).toBe('completed undefined');
    expect(node.executor.writs('t3').at(-1)?.exp).toBe(startS + 900);
  });

  it.each<[string, { first?: number; last?: number }]>([
    ['of the last hop alone', { last: 900 }],
    ['of the last hop beyond the one before', { first: 800, last: 900 }],
  ])('%s is refused, and nothing is extended', async (_what, lives) => {
    const writs = await submit('t1');
    await runner.runOf('t1');
    await expect(node.executor.renew('t1', more(writs, lives))).rejects.toMatchObject({ code: 'WRIT_INVALID' });
    expect(endOf('t1')).toBe((startS + LIFE_S) * 1000);
    expect(audited('task.writ-renewed')).toBe(0);
  });

  it('that is no news changes nothing, also when it comes late', async () => {
    const writs = await submit('t1');
    await runner.runOf('t1');
    const sooner = more(writs, { first: 800, last: 800 });
    await node.executor.renew('t1', more(writs, { first: 900, last: 900 }));
    const before = node.executor.get('t1');
    expect(await node.executor.renew('t1', sooner)).toEqual({ renewed: true, expiresAtMs: (startS + 900) * 1000 });
    expect(node.executor.get('t1')).toEqual(before);
    expect(audited('task.writ-renewed')).toBe(1);
  });

  it("of another task's writ is refused", async () => {
    await submit('t1');
    const theirs = await submit('t2');
    const [, last = ''] = more(theirs, { first: 900, last: 900 });
    await expect(node.executor.renew('t1', [last])).rejects.toMatchObject({ code: 'WRIT_INVALID' });
  });

  it('after the end, or of what is being ended, is told so', async () => {
    runner.obeyStops(false);
    const writs = await submit('t1');
    const run = await runner.runOf('t1');
    const cancelling = node.executor.cancel('t1', gamma);
    const renew = () => node.executor.renew('t1', more(writs, { first: 900, last: 900 }));
    await expect(renew()).rejects.toMatchObject({ code: 'TASK_ENDED' });
    run.exit(0);
    await cancelling;
    await expect(renew()).rejects.toMatchObject({ code: 'TASK_ENDED' });
    await expect(node.executor.renew('none', [])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('of what may not start any more is denied, and nothing is extended', async () => {
    await submit('t1', 'steady');
    const run = await runner.runOf('t1');
    const { id } = node.authority.grantLease({
      ...{ peer: 'gamma', origin: 'alpha', profile: 'lent', durationMs: 300_000, issuedBy: 'person' },
    });
    expect(id).toBeDefined();
    const writs = await submit('t2', 'lent');
    clock.advance(301_000);
    const answer = await node.executor.renew('t2', more(writs, { first: 900, last: 900 }));
    expect(answer).toMatchObject({ renewed: false, decision: { effect: 'deny', code: 'PROFILE_NOT_ALLOWED' } });
    expect(endOf('t2')).toBe((startS + LIFE_S) * 1000);
    expect(audited('task.writ-not-renewed')).toBe(1);
    run.exit(0);
    await ended('t1');
  });

  it('survives a restart of the node', async () => {
    await submit('t1', 'steady');
    await runner.runOf('t1');
    const writs = await submit('t2');
    await node.executor.renew('t2', more(writs, { first: 900, last: 900 }));
    await node.kill();
    clock.advance(LIFE_S * 1000);
    runner = createScriptedRunner({ clock });
    node = await createTestNode({ clock, runner, policy: POLICY, slots: 1, dir: node.dir });
    await node.executor.recover();
    const run = await runner.runOf('t2');
    await turn();
    clock.advance(300_000);
    expect(run.stops).toHaveLength(1);
    expect(await ended('t2')).toBe('failed WRIT_EXPIRED');
  });
});
