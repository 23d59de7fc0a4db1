import { sha256Hex } from '@writ/core';
import { createInviteStore } from '@writ/lease-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateFixture, type GateFixture, HOUR_MS, IN_A } from './testing/gate-fixture.ts';

let at: GateFixture;
const invites = createInviteStore();
const lend = (durationMs = HOUR_MS) =>
  at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs, issuedBy: 'ap-1' });
const proposed = (change: Parameters<GateFixture['propose']>[0] = {}) => {
  const outcome = at.propose(change);
  if (!outcome.proposed) throw new Error(outcome.refusal.message);
  return outcome.execution;
};
const rows = () =>
  at.database
    .auditTail(50)
    .map(({ action, subject }) => `${action} ${subject ?? ''}`)
    .sort();
beforeEach(async () => {
  at = await createGateFixture();
});
afterEach(() => at.close());

describe('accepting a clock that went back', () => {
  it('ends everything that is limited in time, expired or not, each with its row and told to whoever waits', () => {
    const short = lend(1000);
    const invite = { secretHash: '0', profiles: ['query'], workspaces: [] };
    at.database.withWriteTx((tx) => {
      invites.insert(tx, { ...invite, id: 'i-1', expiresAtMs: at.database.nowMs() + HOUR_MS });
    });
    const lease = lend();
    const [waits, approved] = [proposed(), proposed({ digest: sha256Hex('other') })];
    at.answer(approved.approval!, 'approve', 'session');
    const [window] = at.gate.windows.list({});
    const asked = at.ask({ asker: { ...IN_A, task: 't-1' } });
    at.liveTasks.add('t-1');
    const ofTask = at.ask({ asker: { ...IN_A, task: 't-1' } });
    expect([asked.asked, ofTask.asked]).toEqual([false, true]);
    const question = ofTask.asked ? ofTask.approval.id : '';
    at.move(2000);
    at.database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'test' }));
    at.move(-2 * HOUR_MS);
    at.events.splice(0);

    expect(at.gate.acceptClock('person')).toBe(2);
    expect(at.database.clockIsBackwards()).toBe(false);
    expect([waits, approved].map(({ id }) => at.gate.executions.get(id)?.state)).toEqual(['expired', 'expired']);
    expect(at.gate.approvals.get(question)?.state).toBe('expired');
    expect(at.settled).toEqual([`${question}: expired`]);
    expect(at.gate.windows.list({})).toEqual([]);
    expect(at.authority.listLeases({})).toEqual([]);
    expect(at.database.withWriteTx((tx) => invites.use(tx, 'i-1'))).toBe(false);
    expect(at.events.map(({ kind }) => kind).sort()).toEqual(
      ['approval', 'approval', 'execution', 'execution', 'window'].sort(),
    );
    for (const row of [
      ...[short, lease].map(({ id }) => `lease.revoked ${id}`),
      ...[waits, approved].map(({ id }) => `execution.expired ${id}`),
      ...[`window.closed ${window?.id}`, `approval.expired ${question}`, 'invite.ended i-1', 'clock.accepted '],
    ]) {
      expect(rows()).toContain(row);
    }
  });

  it('keeps a yes that was not used from being used', () => {
    lend();
    const task = at.ask({ kind: 'task' });
    const id = task.asked ? task.approval.id : '';
    at.answer(id, 'approve');
    at.move(-2 * HOUR_MS);
    at.gate.acceptClock('person');
    const use = () => at.database.withWriteTx((tx) => at.options.approvals.use(tx, id, sha256Hex('something')));
    expect([use(), rows().includes(`approval.dropped ${id}`)]).toEqual([false, true]);
  });

  it('is refused where the clock has not gone back, and ends nothing then', () => {
    lend();
    const waits = proposed();
    const before = at.rows();
    for (const ms of [0, -59_000]) {
      at.move(ms);
      expect(() => at.gate.acceptClock('person')).toThrow(
        expect.objectContaining({
          ...{ code: 'CONFLICT', message: 'the clock of this node has not gone back' },
          nextSteps: ['nothing has to be accepted', 'end a single lease with writ lease revoke'],
        }),
      );
    }
    expect(at.rows()).toEqual(before);
    expect(at.gate.executions.get(waits.id)?.state).toBe('pending_approval');
  });
});

describe('a question whose row cannot be read', () => {
  it('ends in time, with what waits for it, and keeps nobody from asking anew', () => {
    lend();
    const [late, asked] = [proposed(), proposed({ digest: sha256Hex('other') })];
    at.database.withWriteTx((tx) => tx.prepare(`UPDATE approval SET scopes = '{'`).run());
    at.database.withWriteTx((tx) =>
      tx.prepare('UPDATE approval SET expires_at_ms = 1 WHERE id = ?').run(late.approval),
    );
    expect(at.gate.approvals.sweep().expired).toBe(1);
    expect(at.gate.executions.get(late.id)).toMatchObject({ state: 'expired', outcome: { code: 'EXPIRED' } });
    const again = proposed({ digest: sha256Hex('other') });
    expect(again.state).toBe('pending_approval');
    expect(at.gate.executions.get(asked.id)?.state).toBe('expired');
  });
});

describe('a command that was not started in time', () => {
  it('cannot be said yes to, and opens no window', () => {
    lend();
    const waits = proposed();
    at.database.withWriteTx((tx) => tx.prepare('UPDATE execution SET expires_at_ms = 1').run());
    expect(at.answer(waits.approval!, 'approve', 'session')).toMatchObject({
      ...{ decided: false, check: 'policy', refusal: { code: 'EXPIRED' } },
    });
    expect(at.gate.windows.list({})).toEqual([]);
    expect(at.answer(waits.approval!, 'deny')).toMatchObject({ decided: true });
  });
});

describe('an approver who is removed', () => {
  it('leaves no window and no yes that was not used, and leaves those of others', () => {
    lend();
    const enrol = (id: string) => ({ id, kind: 'passphrase' as const, publicKey: `key of ${id}`, label: id });
    at.database.withWriteTx((tx) => at.gate.approvers.enroll(tx, enrol('ap-2'), 'ap-1'));
    const [mine, theirs] = [proposed(), proposed({ digest: sha256Hex('other') })];
    at.answer(mine.approval!, 'approve', 'session', 'ap-1');
    at.answer(theirs.approval!, 'approve', 'once', 'ap-2');
    expect(at.gate.windows.list({})).toHaveLength(1);
    at.database.withWriteTx((tx) => at.gate.approvers.remove(tx, 'ap-1', 'ap-2'));
    expect(at.gate.windows.list({})).toEqual([]);
    expect(at.gate.executions.get(mine.id)).toMatchObject({ state: 'failed', outcome: { code: 'NOT_APPROVER' } });
    expect(at.gate.executions.start(theirs.id, theirs.digest)).toMatchObject({ started: true });
  });
});
