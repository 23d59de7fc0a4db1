import { sha256Hex } from '@writ/core';
import type { Execution } from '@writ/lease-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createGateFixture,
  GATE_POLICY,
  type GateFixture,
  HOUR_MS,
  IN_A,
  IN_B,
  NGINX,
} from '../testing/gate-fixture.ts';
import { moveExecution } from './transition.ts';
import type { Proposal } from './types.ts';

const READ = { class: 'read', needs: [], target: undefined } as const;
const DONE = { code: 'OK', message: 'done', exitCode: 0 };
const DAY_MS = 24 * HOUR_MS;

let at: GateFixture;
const propose = (change: Partial<Proposal> = {}): Execution => {
  const outcome = at.propose(change);
  if (!outcome.proposed) throw new Error(outcome.refusal.message);
  return outcome.execution;
};
const item = (n: number, change: Partial<Proposal> = {}) => propose({ digest: sha256Hex(`item ${n}`), ...change });
const start = ({ id, digest }: Execution) => at.gate.executions.start(id, digest);
const get = ({ id }: Execution) => at.gate.executions.get(id);
const lend = (change = {}) =>
  at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1', ...change });
const inB = () => {
  const subject = { from: 'self', origin: IN_B.origin, session: 'b' };
  return { asker: IN_B, basis: { subject, ask: { chain: [], profile: 'ops', workspace: 'app', input: 'argv' } } };
};

beforeEach(async () => {
  at = await createGateFixture();
  lend();
});
afterEach(() => at.close());

describe('a command that ends', () => {
  it('says why, in words that a person can use', () => {
    const [cancelled, ofSession, crashed, late] = [
      item(1),
      item(2, inB()),
      item(3, READ),
      item(4, { lifetimeMs: 1000 }),
    ];
    start(crashed);
    at.gate.executions.cancel(cancelled.id);
    at.gate.endSession(IN_B, 'person', []);
    at.gate.executions.recover();
    at.move(1000);
    at.gate.executions.sweep();
    expect([cancelled, ofSession, crashed, late].map((one) => [get(one)?.state, get(one)?.outcome])).toEqual([
      ['cancelled', { code: 'CANCELLED', message: 'its caller cancelled it' }],
      ['cancelled', { code: 'CANCELLED', message: 'what asked for it has ended' }],
      [
        'outcome_unknown',
        { code: 'LOST', message: 'the node ended while it ran; look at what it did before it is run again' },
      ],
      ['expired', { code: 'EXPIRED', message: 'it was not started in time' }],
    ]);
  });

  it('of a yes that does not count any more says so, and one that runs by it runs on', () => {
    const [waits, runs, asked] = [item(1), item(2), item(3)];
    for (const { approval } of [waits, runs]) at.answer(approval!, 'approve');
    start(runs);
    const approvals = [waits, runs, asked].map(({ approval }) => approval!);
    at.database.withWriteTx((tx) => at.gate.executions.refuseApproved(tx, ['none', ...approvals]));
    expect(get(waits)).toMatchObject({
      state: 'failed',
      outcome: { code: 'NOT_APPROVER', message: 'who said yes to it is no approver any more' },
    });
    expect([get(runs)?.state, get(asked)?.state]).toEqual(['running', 'pending_approval']);
  });

  it('takes its question back, and leaves one row for each step', () => {
    const waits = item(1);
    at.gate.executions.refuse(waits.id, { code: 'BAD_REQUEST', message: 'its program is gone' });
    expect([get(waits)?.state, at.gate.approvals.get(waits.approval!)?.state]).toEqual(['failed', 'cancelled']);
    expect(at.gate.executions.refuse('none', DONE)).toBeUndefined();
    const rows = at.database.auditTail(99).filter(({ subject }) => subject === waits.id);
    expect(rows.map(({ action }) => action).reverse()).toEqual([
      ...['execution.proposed', 'execution.pending_approval', 'execution.failed'],
    ]);
    expect(rows[0]).toMatchObject({
      ...{ kind: 'execution', actor: 'self' },
      details: {
        ...{ origin: IN_A.origin, session: 'a', agent: 'agent', profile: 'ops', digest: waits.digest, task: null },
        ...{ class: 'config-mutation', target: NGINX, approval: waits.approval, window: null, lease: null },
        code: 'BAD_REQUEST',
      },
    });
  });

  it('leaves in its row by what it ran: lease, window and task', () => {
    const lease = at.authority.listLeases({})[0]?.id;
    at.answer(item(1).approval!, 'approve', 'session');
    const window = at.gate.windows.list({})[0]?.id;
    start(item(2));
    expect(at.database.auditTail(9).find(({ action }) => action === 'execution.running')).toMatchObject({
      details: { lease, window, approval: null, task: null },
    });
    at.liveTasks.add('t1');
    const ofTask = item(3, { ...READ, asker: { ...IN_A, task: 't1' } });
    expect(at.database.auditTail(1)).toMatchObject([{ subject: ofTask.id, details: { task: 't1', target: null } }]);
  });

  it('is told of after the commit, each step once', () => {
    const execution = item(1, READ);
    start(execution);
    at.gate.executions.finish(execution.id, 'complete', DONE);
    expect(at.events.map((event) => event.kind === 'execution' && event.execution.state)).toEqual([
      ...['proposed', 'running', 'completed'],
    ]);
  });

  it('never ends twice, nor in a way that its state does not know', () => {
    const execution = item(1, READ);
    expect(() =>
      at.database.withWriteTx((tx) =>
        moveExecution({ executions: at.options.executions, events: { tell: () => {} } as never }, tx, execution, {
          event: 'complete',
          outcome: DONE,
        }),
      ),
    ).toThrow(
      expect.objectContaining({
        ...{ code: 'INTERNAL', message: 'an execution that is proposed cannot complete' },
        details: { execution: execution.id },
      }),
    );
    expect(get(execution)?.state).toBe('proposed');
    expect(at.gate.executions.finish(execution.id, 'complete', DONE)).toBeUndefined();
    expect(at.gate.executions.finish('none', 'complete', DONE)).toBeUndefined();
  });

  it('that was not spawned gives back the use of its window too', () => {
    at.answer(item(1).approval!, 'approve', 'session');
    const execution = item(2);
    start(execution);
    const uses = () => at.gate.windows.list({}).map((window) => window.uses);
    expect(uses()).toEqual([1]);
    at.gate.executions.notSpawned(execution.id, { code: 'RUNNER_UNAVAILABLE', message: 'no' });
    expect(uses()).toEqual([0]);
    const plain = item(3, READ);
    start(plain);
    at.gate.executions.finish(plain.id, 'fail', DONE);
    expect(at.authority.listLeases({})[0]?.uses).toBe(1);
  });

  it('ends with every other one where a clock is accepted, those whose rows cannot be read too', () => {
    const [reads, asked, broken, runs] = [item(1, READ), item(2), item(3), item(4, READ)];
    start(runs);
    at.database.withWriteTx((tx) => {
      tx.prepare(`UPDATE execution SET needs = '{' WHERE id = ?`).run(broken.id);
      at.gate.executions.endWaiting(tx);
    });
    expect([reads, asked, runs].map((one) => get(one)?.state)).toEqual(['expired', 'expired', 'running']);
    expect(
      at.database.withReadTx((tx) => tx.prepare('SELECT state FROM execution WHERE id = ?').pluck().get(broken.id)),
    ).toBe('expired');
    expect(at.gate.approvals.get(asked.approval!)?.state).toBe('cancelled');
  });

  it('is removed long after, and one that waits is not', () => {
    const [done, waits] = [item(1, READ), item(2, { lifetimeMs: 6 * DAY_MS })];
    start(done);
    at.gate.executions.finish(done.id, 'complete', DONE);
    at.move(5 * DAY_MS);
    expect(at.gate.executions.sweep()).toEqual({ expired: 0, pruned: 0 });
    at.move(40 * DAY_MS);
    expect(at.gate.executions.sweep()).toEqual({ expired: 1, pruned: 1 });
    expect([get(done), get(waits)?.state]).toEqual([undefined, 'expired']);
  });
});

describe('what may start', () => {
  it('is told oldest first, to a limit, without what is to be skipped', () => {
    const items = [1, 2, 3].map((n) => item(n, READ));
    const ids = items.map(({ id }) => id).sort();
    const { ready } = at.gate.executions;
    expect([...ready(9)].sort()).toEqual(ids);
    expect([ready(2), ready(0)]).toEqual([ready(9).slice(0, 2), []]);
    const [first = ''] = ready(9);
    expect(ready(9, { skip: new Set([first]) })).toEqual(ready(9).slice(1));
    expect(ready(1, { skip: new Set([first]) })).toEqual([ready(9)[1]]);
  });

  it('is looked for behind those that wait for an answer, and ends where nothing is left', () => {
    const asked = [1, 2].map((n) => item(n));
    expect(at.gate.executions.ready(9)).toEqual([]);
    at.answer(asked[1]!.approval!, 'approve', 'session');
    expect([...at.gate.executions.ready(9)].sort()).toEqual(asked.map(({ id }) => id).sort());
  });

  it('counts as running once it has started, and until it ends', () => {
    const counts = [at.gate.executions.countRunning()];
    const execution = item(1, READ);
    start(execution);
    counts.push(at.gate.executions.countRunning());
    at.gate.executions.finish(execution.id, 'cancel', DONE);
    counts.push(at.gate.executions.countRunning());
    expect(counts).toEqual([0, 1, 0]);
  });
});

describe('what a command that runs has lost', () => {
  const lost = () => at.gate.executions.withdrawn().map(({ execution, refusal }) => [execution.id, refusal]);

  it('is its lease, taken back or at its end to the millisecond, and that is said', () => {
    for (const { id } of at.authority.listLeases({})) at.authority.revokeLease(id, 'ap-1');
    const lease = lend({ durationMs: 1000, maxUses: 1 });
    const execution = item(1, READ);
    start(execution);
    at.move(999);
    expect(lost()).toEqual([]);
    at.move(1);
    expect(lost()).toEqual([
      [execution.id, { code: 'LEASE_EXPIRED', message: 'the lease that it started with has ended', nextSteps: [] }],
    ]);
    at.authority.revokeLease(lease.id, 'ap-1');
    const revoked = { code: 'LEASE_REVOKED', message: 'the lease that it started with was taken back', nextSteps: [] };
    expect(lost()).toEqual([[execution.id, revoked]]);
    at.database.withWriteTx((tx) => tx.prepare('DELETE FROM lease').run());
    expect(lost()).toEqual([[execution.id, revoked]]);
  });

  it('is what its profile held or reached, and nothing where it gained', async () => {
    const execution = item(1, { ...READ, needs: ['manage_services'] });
    start(execution);
    const reload = (text: string) => at.engine.reload(text, { acceptWidening: true });
    await reload(GATE_POLICY.replace('"manage_services", ', '"manage_services", "push_repo", '));
    expect(lost()).toEqual([]);
    await reload(GATE_POLICY.replace('"manage_services", ', ''));
    expect(lost()).toMatchObject([[execution.id, { code: 'PROFILE_NOT_ALLOWED' }]]);
    await reload(GATE_POLICY.replaceAll('isolation = "none"', 'isolation = "required"'));
    expect(lost()).toMatchObject([[execution.id, { code: 'ISOLATION_UNAVAILABLE' }]]);
  });

  it('is the right to run where that came without a lease and needs one now', async () => {
    const subject = { from: 'self', origin: IN_A.origin, session: 'a' };
    const basis = { subject, ask: { chain: [], profile: 'query', workspace: 'app', input: 'argv' } };
    const execution = item(1, { ...READ, profile: 'query', basis });
    start(execution);
    expect(get(execution)?.lease).toBeUndefined();
    await at.engine.reload(GATE_POLICY.replace('[profiles.query]', '[profiles.query]\nrequire_lease = true'), {
      acceptWidening: true,
    });
    expect(lost()).toMatchObject([[execution.id, { code: 'LEASE_REQUIRED' }]]);
  });
});
