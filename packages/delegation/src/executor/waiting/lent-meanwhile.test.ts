import type { Authority, LeaseRequest } from '@writ/authority';
import type { WriteTx } from '@writ/database';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { createScriptedRunner, createTestNode, type ScriptedRunner, type TestNode } from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const HOUR_MS = 3_600_000;

const POLICY = `schema = 1
[node]
name = "box"
[workspaces.app]
path = "/repo/app"
[workspaces.other]
path = "/repo/other"
[profiles.lent]
capabilities = ["read_repo", "run_tests"]
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
[profiles.both]
capabilities = ["read_repo", "run_tests"]
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
require_approval = true
[self]
profiles = ["lent", "both"]
workspaces = ["app", "other"]
may_request_lease = true
`;

let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  await open();
});
afterEach(() => node.close());

async function open(dir?: string): Promise<void> {
  runner = createScriptedRunner({ clock });
  node = await createTestNode({
    ...{ clock, runner, policy: POLICY, enrol: true, slots: 1 },
    ...(dir === undefined ? {} : { dir }),
  });
}

async function submit(task: string, profile = 'lent', workspace = 'app'): Promise<string> {
  const answer = await node.executor.submit({
    ...{ task, idempotencyKey: `key-${task}`, agent: 'tester' },
    spec: { input: { kind: 'argv', argv: ['true'] }, profile, workspace },
    subject: { from: 'self', origin: 'self', session: 's1' },
  });
  if (!answer.accepted) throw new Error(answer.decision.message);
  expect(answer.task.state).toBe('waiting');
  return node.executor.waitsFor(task)?.approval ?? 'nothing';
}

function lend(more: { readonly maxUses?: number; readonly workspaces?: string[]; readonly profile?: string } = {}) {
  return node.authority.grantLease({ peer: 'self', profile: 'lent', durationMs: HOUR_MS, issuedBy: 'person', ...more });
}

const stateOf = (task: string): string => node.executor.get(task)?.state ?? 'none';
const question = (id: string): string => node.person.gate.approvals.get(id)?.state ?? 'none';
const leases = (): readonly number[] => node.authority.listLeases({}).map(({ uses }) => uses);

function said(id: string, answer: 'approve' | 'deny'): string {
  const outcome = node.person.answer(id, answer);
  return outcome.decided ? outcome.approval.state : outcome.refusal.code;
}

async function finish(task: string): Promise<string> {
  (await runner.runOf(task)).exit(0);
  for await (const { event } of node.executor.watch(task, 0, new AbortController().signal)) void event;
  return stateOf(task);
}

describe('a task that waits for a lease', () => {
  it('goes on by one that is lent in another way, and its question is cancelled', async () => {
    const approval = await submit('t1');
    const { id } = lend();
    expect([stateOf('t1'), question(approval)]).toEqual(['queued', 'cancelled']);
    expect(said(approval, 'approve')).toBe('NOT_PENDING');
    expect(await finish('t1')).toBe('completed');
    expect(node.authority.listLeases({}).map((lease) => [lease.id, lease.uses])).toEqual([[id, 1]]);
  });

  it('goes on by one that was asked for by itself', async () => {
    const approval = await submit('t1');
    const whose = { from: 'self', session: 's1', agent: 'tester', key: 'k' } as const;
    const request: LeaseRequest = { ...whose, profile: 'lent', durationMs: HOUR_MS, onlyThisSession: false };
    const asked = node.requestLease(request);
    if (!asked.asked) throw new Error(asked.decision.message);
    expect(said(asked.approval, 'approve')).toBe('approved');
    expect([stateOf('t1'), question(approval)]).toEqual(['queued', 'cancelled']);
    expect(await finish('t1')).toBe('completed');
  });

  it('waits on where what is lent does not cover it', async () => {
    const approval = await submit('t1');
    lend({ workspaces: ['other'] });
    lend({ profile: 'both' });
    expect([stateOf('t1'), question(approval)]).toEqual(['waiting', 'pending']);
    expect(said(approval, 'approve')).toBe('approved');
    expect(await finish('t1')).toBe('completed');
    // The one use that the yes lent is used up, and the others are as they were.
    expect(leases()).toEqual([0, 0]);
  });

  it('does not give its question up for a use that another has: as many go on as there are uses', async () => {
    const asked = [await submit('t1'), await submit('t2'), await submit('t3')];
    lend({ maxUses: 2 });
    expect(['t1', 't2', 't3'].map(stateOf)).toEqual(['queued', 'queued', 'waiting']);
    expect(asked.map(question)).toEqual(['cancelled', 'cancelled', 'pending']);
    // The one use of its own that a yes lends serves the task that it was given for.
    expect(said(asked[2] ?? '', 'approve')).toBe('approved');
    for (const task of ['t1', 't2', 't3']) expect(await finish(task)).toBe('completed');
    expect(leases()).toEqual([]);
  });

  it('waits for the approval that comes after the lease, and one that is next for it keeps its use', async () => {
    const [first, second] = [await submit('t1', 'both'), await submit('t2', 'both')];
    lend({ profile: 'both', maxUses: 1 });
    const after = node.executor.waitsFor('t1')?.approval ?? '';
    expect([stateOf('t1'), question(first), question(after)]).toEqual(['waiting', 'cancelled', 'pending']);
    expect(node.person.gate.approvals.get(after)?.kind).toBe('task');
    expect([node.executor.waitsFor('t2')?.approval, question(second)]).toEqual([second, 'pending']);
    expect(said(after, 'approve')).toBe('approved');
    expect(await finish('t1')).toBe('completed');
  });

  it('goes on after a restart by what was lent right before it', async () => {
    const approval = await submit('t1');
    const { dir } = node;
    await node.kill();
    await open(dir);
    node.database.withWriteTx((tx) => storeLease(tx));
    expect(stateOf('t1')).toBe('waiting');
    await node.executor.recover();
    expect([stateOf('t1'), question(approval)]).toEqual(['queued', 'cancelled']);
    expect(await finish('t1')).toBe('completed');
  });
});

describe('a lease that is lent while its question is answered', () => {
  /** Between the commit of the grant and the look that follows it comes the answer. */
  const between = (approval: string, answer: 'approve' | 'deny'): string => {
    let heard = '';
    node.database.withWriteTx((tx) => {
      tx.afterCommit(() => {
        heard = said(approval, answer);
      });
      node.authority.tellLent(tx, storeLease(tx));
    });
    return heard;
  };
  const orders: Readonly<Record<string, typeof between>> = {
    'after the grant was followed': (approval, answer) => {
      lend();
      return said(approval, answer);
    },
    'between the grant and what follows it': between,
    'before the grant': (approval, answer) => {
      const heard = said(approval, answer);
      lend();
      return heard;
    },
  };
  const outcomes = {
    'after the grant was followed': { approve: ['NOT_PENDING', 'queued'], deny: ['NOT_PENDING', 'queued'] },
    'between the grant and what follows it': { approve: ['approved', 'queued'], deny: ['denied', 'rejected'] },
    'before the grant': { approve: ['approved', 'queued'], deny: ['denied', 'rejected'] },
  } as const;

  for (const [order, run] of Object.entries(orders)) {
    for (const answer of ['approve', 'deny'] as const) {
      it(`and that is ${answer} ${order}, decides once and starts once at most`, async () => {
        const approval = await submit('t1');
        const heard = run(approval, answer);
        expect([heard, stateOf('t1')]).toEqual(outcomes[order as keyof typeof outcomes][answer]);
        const endings = `SELECT action FROM audit WHERE subject = ?
          AND action IN ('approval.approved', 'approval.denied', 'approval.cancelled', 'approval.expired')`;
        expect(node.database.withReadTx((tx) => tx.prepare(endings).all(approval))).toHaveLength(1);
        if (stateOf('t1') === 'rejected') return expect(leases()).toEqual([0]);
        expect(await finish('t1')).toBe('completed');
        expect(runner.runs).toHaveLength(1);
        const uses = node.database.withReadTx((tx) => tx.prepare('SELECT SUM(uses) FROM lease').pluck().get());
        expect(uses).toBe(1);
      });
    }
  }
});

/** A lease without a count, as it is stored; nobody is told. */
function storeLease(tx: WriteTx): Parameters<Authority['tellLent']>[1] {
  const [issuedAtMs, endMs] = [tx.nowMs, tx.nowMs + HOUR_MS];
  const closure = ['read_repo', 'run_tests'];
  tx.prepare(
    `INSERT INTO lease (id, peer, origin, profile, closure, workspaces, issued_by, issued_at_ms, expires_at_ms,
      max_expires_at_ms, uses, version) VALUES ('stored', 'self', 'self', 'lent', ?, '[]', 'person', ?, ?, ?, 0, 1)`,
  ).run(JSON.stringify(closure), issuedAtMs, endMs, endMs);
  const whose = { id: 'stored', peer: 'self', origin: 'self', profile: 'lent', issuedBy: 'person' };
  return {
    ...whose,
    closure,
    workspaces: [],
    issuedAtMs,
    expiresAtMs: endMs,
    maxExpiresAtMs: endMs,
    uses: 0,
    version: 1,
  };
}
