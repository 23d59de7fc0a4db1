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
  OTHER_ID,
} from '../testing/gate-fixture.ts';
import type { Proposal, StartOutcome } from './types.ts';

const DIGEST = sha256Hex('restart nginx');
const DONE = { code: 'OK', message: 'done', exitCode: 0 };

describe('gated commands', () => {
  let at: GateFixture;
  const propose = (change: Partial<Proposal> = {}): Execution => {
    const outcome = at.propose(change);
    if (!outcome.proposed) throw new Error(outcome.refusal.message);
    return outcome.execution;
  };
  const refusal = (change: Partial<Proposal>) => {
    const outcome = at.propose(change);
    return outcome.proposed ? outcome.execution.state : outcome.refusal.code;
  };
  const start = ({ id, digest }: Execution) => at.gate.executions.start(id, digest);
  const stateOf = (outcome: StartOutcome) =>
    outcome.started || !outcome.waits ? `${outcome.execution?.state}: ${outcome.execution?.outcome?.code}` : 'waits';
  const get = ({ id }: Execution) => at.gate.executions.get(id)!;
  const lend = (change = {}) =>
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1', ...change });
  const READ = { class: 'read', needs: [], target: undefined } as const;
  beforeEach(async () => {
    at = await createGateFixture();
    lend();
  });
  afterEach(() => at.close());

  it('run by class where they only read, without a question', () => {
    const execution = propose(READ);
    expect(at.gate.executions.ready(9)).toEqual([execution.id]);
    expect(start(execution)).toMatchObject({ started: true, execution: { state: 'running' } });
    expect(at.gate.approvals.list({ pendingOnly: false, limit: 9 })).toEqual([]);
  });

  it('that change something wait for a person, run after the yes, once', () => {
    const execution = propose();
    expect(execution).toMatchObject({ state: 'pending_approval', approval: expect.any(String) });
    expect([at.gate.executions.ready(9), stateOf(start(execution))]).toEqual([[], 'waits']);
    at.answer(execution.approval!, 'approve');
    expect([at.gate.executions.ready(9), get(execution).state]).toEqual([[execution.id], 'proposed']);
    expect(start(execution)).toMatchObject({ started: true, execution: { lease: expect.any(String) } });
    expect([stateOf(start(execution)), at.gate.executions.ready(9)]).toEqual(['running: undefined', []]);
    expect(at.gate.executions.finish(execution.id, 'complete', DONE)).toMatchObject({
      state: 'completed',
      outcome: DONE,
    });
    expect(at.gate.executions.finish(execution.id, 'fail', DONE)).toBeUndefined();
    expect(at.gate.approvals.get(execution.approval!)?.usedAtMs).toBeDefined();
  });

  it('are denied with the answer no, and by nobody’s answer', () => {
    const [denied, late] = [propose(), propose({ digest: sha256Hex('other') })];
    at.answer(denied.approval!, 'deny');
    at.move(HOUR_MS);
    at.gate.approvals.sweep();
    expect([get(denied), get(late)].map(({ state, outcome }) => `${state}: ${outcome?.code}`)).toEqual([
      'denied: APPROVAL_REQUIRED',
      'expired: EXPIRED',
    ]);
    expect([start(denied), start(late)].map(stateOf)).toEqual(['denied: APPROVAL_REQUIRED', 'expired: EXPIRED']);
  });

  it('need their capabilities, the destructive one besides; no yes and no window stands in', () => {
    expect(refusal({ needs: ['push_repo'] })).toBe('PROFILE_NOT_ALLOWED');
    lend({ profile: 'dev' });
    const dev = { profile: 'dev', basis: basisOf('dev'), needs: ['edit_repo'] };
    expect(refusal({ ...dev, class: 'destructive' })).toBe('PROFILE_NOT_ALLOWED');
    expect(refusal(dev)).toBe('pending_approval');
    expect(at.database.auditTail(9).map(({ action }) => action)).toContain('execution.refused');
  });

  it('need a lease, when proposed, when approved and when started', () => {
    const [one, two] = [propose(), propose({ digest: sha256Hex('other') })];
    at.answer(one.approval!, 'approve');
    for (const { id } of at.authority.listLeases({})) at.authority.revokeLease(id, 'ap-1');
    expect(refusal({})).toBe('LEASE_REQUIRED');
    expect(at.answer(two.approval!, 'approve')).toMatchObject({ check: 'policy', refusal: { code: 'LEASE_REQUIRED' } });
    expect(at.answer(two.approval!, 'deny')).toMatchObject({ decided: true });
    expect(stateOf(start(one))).toBe('failed: LEASE_REVOKED');
    expect(at.gate.approvals.get(one.approval!)?.usedAtMs).toBeUndefined();
  });

  it('claim a use of the lease with the start; it comes back only where nothing was spawned', () => {
    at.authority.revokeLease(at.authority.listLeases({})[0]!.id, 'ap-1');
    const lease = lend({ maxUses: 1 });
    const uses = () => at.authority.listLeases({ includeDead: true }).find(({ id }) => id === lease.id)?.uses;
    const execution = propose(READ);
    start(execution);
    expect(uses()).toBe(1);
    expect(refusal(READ)).toBe('LEASE_REQUIRED');
    at.gate.executions.notSpawned(execution.id, { code: 'RUNNER_UNAVAILABLE', message: 'no' });
    expect([uses(), get(execution).state]).toEqual([0, 'failed']);
    at.gate.executions.notSpawned(execution.id, { code: 'RUNNER_UNAVAILABLE', message: 'no' });
    expect(uses()).toBe(0);
  });

  it('that are not what was approved do not run', () => {
    const execution = propose();
    at.answer(execution.approval!, 'approve');
    expect(stateOf(at.gate.executions.start(execution.id, sha256Hex('edited')))).toBe('failed: CHANGED_SINCE_APPROVAL');
    expect(stateOf(start(execution))).toBe('failed: CHANGED_SINCE_APPROVAL');
    const again = propose({ digest: sha256Hex('edited') });
    expect(again.state).toBe('pending_approval');
  });

  it.each([
    { class: 'destructive' },
    { known: false },
    { needs: ['manage_services', 'push_repo'] },
    { target: 'self/service/other' },
  ] as const)('that the rules call something else by then do not run: %o', (change) => {
    const execution = propose();
    at.answer(execution.approval!, 'approve');
    Object.assign(at.reclassified, change);
    expect(stateOf(start(execution))).toBe('failed: CHANGED_SINCE_APPROVAL');
    expect(at.gate.approvals.get(execution.approval!)?.usedAtMs).toBeUndefined();
  });

  it.each(['approve', 'deny'] as const)('vanish with their session: NOT_FOUND to %s, nothing consumed', (answer) => {
    const execution = propose();
    at.database.withWriteTx((tx) => at.options.sessions.end(tx, IN_A.origin, IN_A.session));
    const before = at.rows();
    expect(at.answer(execution.approval!, answer)).toMatchObject({ decided: false, refusal: { code: 'NOT_FOUND' } });
    expect(at.rows()).toEqual(before);
    expect(stateOf(start(execution))).toBe('cancelled: NOT_FOUND');
  });

  it('wait in session B while A’s plan window is open: one agent, two sessions', () => {
    const inA = propose();
    at.answer(inA.approval!, 'approve', 'session');
    start(inA);
    const [again, inB] = [
      propose({ digest: sha256Hex('reload') }),
      propose({ asker: IN_B, basis: basisOf('ops', 'b') }),
    ];
    expect([again.state, inB.state]).toEqual(['proposed', 'pending_approval']);
    expect(at.gate.executions.ready(9)).toEqual([again.id]);
    expect([start(again), start(inB)].map(stateOf)).toEqual(['running: undefined', 'waits']);
    expect(get(again).window).toBeDefined();
  });

  it('that are destructive ask again under an assent window, and for each target', () => {
    at.answer(propose().approval!, 'approve', 'session');
    const drop = { class: 'destructive', digest: sha256Hex('stop nginx') } as const;
    const first = propose(drop);
    expect([first.state, at.gate.approvals.get(first.approval!)?.scopes]).toEqual([
      'pending_approval',
      ['once', 'target'],
    ]);
    at.answer(first.approval!, 'approve', 'target');
    const same = propose({ ...drop, digest: sha256Hex('kill nginx') });
    const other = propose({ ...drop, target: `${NGINX}d`, digest: sha256Hex('stop nginxd') });
    const several = propose({ ...drop, target: undefined, digest: sha256Hex('stop all') });
    expect([same, other, several].map(({ state }) => state)).toEqual([
      ...['proposed', 'pending_approval', 'pending_approval'],
    ]);
    expect(at.gate.approvals.get(several.approval!)?.scopes).toEqual(['once']);
    expect(stateOf(start(same))).toBe('running: undefined');
  });

  it('of an unknown program are covered by no window, and open none', () => {
    at.answer(propose().approval!, 'approve', 'session');
    const unknown = propose({ known: false, digest: sha256Hex('./frob') });
    expect([unknown.state, at.gate.approvals.get(unknown.approval!)?.scopes]).toEqual(['pending_approval', ['once']]);
  });

  it('that a window covers meanwhile run under it, and their question is closed', () => {
    const [first, second] = [propose(), propose({ digest: sha256Hex('reload') })];
    at.answer(first.approval!, 'approve', 'session');
    expect(at.gate.executions.ready(9)).toEqual([first.id, second.id]);
    expect(stateOf(start(second))).toBe('running: undefined');
    expect(at.gate.approvals.get(second.approval!)?.state).toBe('cancelled');
    expect(at.answer(second.approval!, 'approve')).toMatchObject({ decided: false, check: 'pending' });
    expect(get(second).state).toBe('running');
  });

  it('are asked for where the window that covered them has closed before they start', () => {
    at.answer(propose().approval!, 'approve', 'session');
    const covered = propose({ digest: sha256Hex('reload') });
    at.gate.windows.close(at.gate.windows.list({})[0]!.id, 'ap-1');
    expect(stateOf(start(covered))).toBe('waits');
    expect(get(covered)).toMatchObject({ state: 'pending_approval', approval: expect.any(String) });
  });

  it('whose yes was not used in time do not run', () => {
    const execution = propose();
    at.answer(execution.approval!, 'approve');
    at.move(HOUR_MS);
    expect(stateOf(start(execution))).toBe('expired: EXPIRED');
    const other = propose({ digest: sha256Hex('other') });
    at.answer(other.approval!, 'approve');
    at.database.withWriteTx((tx) => tx.prepare('UPDATE approval SET use_by_ms = created_at_ms').run());
    expect(stateOf(start(other))).toBe('expired: EXPIRED');
  });

  it('start nothing while the clock stands back, and end with it when it is accepted', () => {
    const [approved, waits] = [propose(), propose({ digest: sha256Hex('other') })];
    at.answer(approved.approval!, 'approve', 'session');
    at.move(-61_000);
    expect([stateOf(start(approved)), stateOf(start(waits))]).toEqual(['waits', 'waits']);
    at.gate.acceptClock('ap-1');
    expect([get(approved).state, get(waits).state, at.gate.windows.list({})]).toEqual(['expired', 'expired', []]);
    lend();
    expect(propose({ digest: sha256Hex('third') }).state).toBe('pending_approval');
  });

  it('are the same for the same key and action, another one for the key is refused', () => {
    const first = propose({ idempotencyKey: 'k' });
    expect(propose({ idempotencyKey: 'k' }).id).toBe(first.id);
    expect(() => propose({ idempotencyKey: 'k', digest: sha256Hex('other') })).toThrow(/used for another/);
    expect(propose({ idempotencyKey: 'k', asker: IN_B, basis: basisOf('ops', 'b') }).id).not.toBe(first.id);
  });

  it('do not wait twice for one answer', () => {
    propose();
    expect(at.propose()).toMatchObject({ proposed: false, refusal: { code: 'CONFLICT' } });
  });

  it('have the rights of nobody else: the stored basis has to be the asker’s', () => {
    expect(refusal({ basis: basisOf('ops', 'b') })).toBe('POLICY_ERROR');
    expect(refusal({ basis: { subject: 'me' } })).toBe('POLICY_ERROR');
    expect(refusal({ profile: 'dev' })).toBe('CHANGED_SINCE_APPROVAL');
  });

  it('of a task have the task’s rights, and end with it before they start', () => {
    at.liveTasks.add('t1');
    const asker = { ...IN_A, task: 't1' };
    expect(refusal({ asker })).toBe('PROFILE_NOT_ALLOWED');
    at.taskClosure.push('manage_services');
    const [waits, runs] = [propose({ asker }), propose({ ...READ, asker, digest: sha256Hex('look') })];
    start(runs);
    at.database.withWriteTx((tx) => at.gate.taskEnded(tx, 't1'));
    expect([get(waits).state, get(runs).state]).toEqual(['cancelled', 'running']);
    expect(at.gate.approvals.get(waits.approval!)?.state).toBe('cancelled');
    expect(at.gate.executions.list({ task: 't1', limit: 9 })).toHaveLength(2);
  });

  it('are cancelled by their caller until they start', () => {
    const [waits, runs] = [propose(), propose(READ)];
    start(runs);
    expect(at.gate.executions.cancel(waits.id)?.state).toBe('cancelled');
    expect([at.gate.executions.cancel(runs.id), at.gate.executions.cancel('none')]).toEqual([undefined, undefined]);
    expect(at.gate.approvals.get(waits.approval!)?.state).toBe('cancelled');
    expect(at.gate.executions.refuse(waits.id, DONE)).toBeUndefined();
  });

  it('that ran when the node ended have an unknown outcome, and are not tried again', () => {
    const [runs, waits] = [propose(READ), propose()];
    start(runs);
    expect([at.gate.executions.recover(), at.gate.executions.recover()]).toEqual([1, 0]);
    expect([get(runs), get(waits)].map(({ state }) => state)).toEqual(['outcome_unknown', 'pending_approval']);
    expect([stateOf(start(runs)), at.gate.executions.ready(9)]).toEqual(['outcome_unknown: LOST', []]);
  });

  it('end in time, in a sweep, with their question; old ones are removed', () => {
    const execution = propose();
    at.move(HOUR_MS);
    expect(at.gate.executions.sweep()).toEqual({ expired: 1, pruned: 0 });
    expect([get(execution).state, at.gate.approvals.get(execution.approval!)?.state]).toEqual(['expired', 'cancelled']);
    at.move(31 * 24 * HOUR_MS);
    expect(at.gate.executions.sweep()).toEqual({ expired: 0, pruned: 1 });
  });

  it('keep their key under a clock that stepped ahead, so that none starts a second time', () => {
    const execution = propose(READ);
    start(execution);
    at.gate.executions.finish(execution.id, 'complete', DONE);
    at.jump(200 * 24 * HOUR_MS);
    expect([at.gate.executions.sweep(), at.gate.approvals.sweep().pruned]).toEqual([{ expired: 0, pruned: 0 }, 0]);
    expect(get(execution).state).toBe('completed');
    at.move(24 * HOUR_MS);
    expect(at.gate.executions.sweep()).toEqual({ expired: 0, pruned: 1 });
  });

  it('do not run under a profile that is cut down since, and use up no lease of what it is cut down to', async () => {
    const execution = propose(READ);
    const dev = lend({ profile: 'dev', maxUses: 1 });
    const text = GATE_POLICY.replace('[self]', '[profile_ceilings]\nops = "dev"\n[self]');
    expect(await at.engine.reload(text, { acceptWidening: false })).toMatchObject({ reloaded: true });
    expect(stateOf(start(execution))).toBe('failed: CHANGED_SINCE_APPROVAL');
    expect(at.authority.listLeases({}).find(({ id }) => id === dev.id)?.uses).toBe(0);
  });

  it('ask nobody for what policy has taken away since, and do not start it', async () => {
    const execution = propose();
    await at.engine.reload(GATE_POLICY.replace('"manage_services", ', ''), { acceptWidening: false });
    expect(at.answer(execution.approval!, 'approve')).toMatchObject({ check: 'policy' });
    expect(at.gate.approvals.get(execution.approval!)?.state).toBe('pending');
  });

  it('are refused before anything is stored where the session is another origin’s', () => {
    expect(refusal({ asker: { ...IN_A, origin: OTHER_ID } })).toBe('NOT_FOUND');
    expect(at.gate.executions.list({ limit: 9 })).toEqual([]);
  });

  it('that cannot be shown whole run only where they read', () => {
    const preview = { shown: false, message: 'too long' } as const;
    expect(refusal({ preview })).toBe('BAD_REQUEST');
    expect(refusal({ ...READ, preview })).toBe('proposed');
  });

  it('end where they are, with an audit row each, without the command in it', () => {
    const execution = propose();
    at.answer(execution.approval!, 'approve');
    start(execution);
    at.gate.executions.finish(execution.id, 'complete', DONE);
    const actions = at.database.auditTail(99).filter(({ subject }) => subject === execution.id);
    expect(actions.map(({ action }) => action).reverse()).toEqual([
      'execution.proposed',
      'execution.pending_approval',
      'execution.proposed',
      'execution.running',
      'execution.completed',
    ]);
    expect(JSON.stringify(actions)).not.toContain('systemctl');
    expect(actions[0]?.details).toMatchObject({ digest: DIGEST, session: 'a', code: 'OK' });
  });

  it('that run by what is taken away are told, and no others', async () => {
    const [one, two] = [propose(READ), propose({ ...READ, digest: sha256Hex('other') })];
    at.authority.revokeLease(at.authority.listLeases({})[0]!.id, 'ap-1');
    const single = lend({ maxUses: 1 });
    start(one);
    expect(at.gate.executions.withdrawn()).toEqual([]);
    lend();
    start(two);
    at.authority.revokeLease(single.id, 'ap-1');
    expect(at.gate.executions.withdrawn()).toMatchObject([
      { execution: { id: one.id }, refusal: { code: 'LEASE_REVOKED' } },
    ]);
    await at.engine.reload(GATE_POLICY.replace('profiles = ["query", "ops", "dev"]', 'profiles = ["query"]'), {
      acceptWidening: false,
    });
    expect(
      at.gate.executions
        .withdrawn()
        .map(({ execution }) => execution.id)
        .sort(),
    ).toEqual([one.id, two.id].sort());
  });

  it('are found by their key, and proposed in the transaction of what they rest on', () => {
    const proposal = at.proposal({ idempotencyKey: 'mine' });
    const outcome = at.database.withWriteTx((tx) => at.gate.executions.proposeIn(tx, proposal));
    const found = at.gate.executions.findByKey({ ...IN_A, idempotencyKey: 'mine' });
    expect(outcome).toMatchObject({ proposed: true, execution: { id: found?.id } });
    expect(at.gate.executions.findByKey({ ...IN_B, idempotencyKey: 'mine' })).toBeUndefined();
  });
});

function basisOf(profile: string, session = 'a') {
  const subject = { from: 'self', origin: IN_A.origin, session };
  return { subject, ask: { chain: [], profile, workspace: 'app', input: 'argv' } };
}
