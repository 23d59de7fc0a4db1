import { sha256Hex } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateFixture, type GateFixture, HOUR_MS, IN_A, NGINX } from '../testing/gate-fixture.ts';
import type { Proposal } from './types.ts';

const READ = { class: 'read', needs: [], target: undefined } as const;

describe('proposing a command', () => {
  let at: GateFixture;
  const refusalOf = (change: Partial<Proposal>) => {
    const outcome = at.propose(change);
    return outcome.proposed ? outcome.execution.state : outcome.refusal;
  };
  const propose = (change: Partial<Proposal> = {}) => {
    const outcome = at.propose(change);
    if (!outcome.proposed) throw new Error(outcome.refusal.message);
    return outcome.execution;
  };
  beforeEach(async () => {
    at = await createGateFixture();
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
  });
  afterEach(() => at.close());

  it('stores all of it, asks for exactly that, and tells of both after the commit', () => {
    const execution = propose({ preview: { shown: true, text: 'argument 0: systemctl' }, lifetimeMs: 5000 });
    expect(execution).toMatchObject({
      ...{ ...IN_A, state: 'pending_approval', class: 'config-mutation', known: true, target: NGINX },
      ...{ preview: 'argument 0: systemctl', expiresAtMs: at.database.nowMs() + 5000 },
    });
    expect(at.gate.approvals.get(execution.approval ?? '')).toMatchObject({
      ...{ kind: 'execution', digest: execution.digest, preview: 'argument 0: systemctl', scopes: ['once', 'session'] },
      ...{ subject: { execution: execution.id }, expiresAtMs: execution.expiresAtMs, session: 'a', agent: 'agent' },
    });
    expect(at.events.map((event) => [event.kind, stateOf(event)])).toEqual([
      ['execution', 'proposed'],
      ['approval', 'pending'],
      ['execution', 'pending_approval'],
    ]);
  });

  it('leaves a row that says whose it is and under what, without the command', () => {
    propose({ ...READ, asker: IN_A, idempotencyKey: 'one' });
    expect(at.database.auditTail(1)).toMatchObject([
      {
        ...{ kind: 'execution', action: 'execution.proposed', actor: 'self' },
        details: {
          ...{ origin: IN_A.origin, session: 'a', agent: 'agent', profile: 'ops', class: 'read', task: null },
          ...{ target: null, approval: null, window: null, lease: null, code: null },
        },
      },
    ]);
  });

  it('is refused for a session that is gone before anything else, and leaves no trace', () => {
    const before = [at.rows(), at.database.auditTail(99)];
    const gone = { asker: { ...IN_A, session: 'none' }, needs: ['push_repo'] };
    expect(refusalOf(gone)).toEqual({
      ...{ code: 'NOT_FOUND', message: 'the session that asked is not there any more' },
      nextSteps: ['nothing was changed; ask anew from a session that lives'],
    });
    expect([at.rows(), at.database.auditTail(99), at.events]).toEqual([...before, []]);
  });

  it('is refused for a right that is missing, which is remembered with the code', () => {
    expect(refusalOf({ needs: ['push_repo'] })).toMatchObject({ code: 'PROFILE_NOT_ALLOWED' });
    expect(at.database.auditTail(1)).toMatchObject([
      {
        ...{ kind: 'execution', action: 'execution.refused', actor: 'self' },
        details: {
          ...{ origin: IN_A.origin, session: 'a', agent: 'agent', digest: sha256Hex('restart nginx') },
          ...{ class: 'config-mutation', profile: 'ops', code: 'PROFILE_NOT_ALLOWED' },
        },
      },
    ]);
    expect(at.gate.executions.list({ limit: 9 })).toEqual([]);
  });

  it('is refused for what cannot be shown, unless it only reads, which keeps no text then', () => {
    const preview = { shown: false, message: '9MiB cannot be shown whole' } as const;
    expect(refusalOf({ preview })).toEqual({
      ...{ code: 'BAD_REQUEST', message: '9MiB cannot be shown whole', nextSteps: ['run something smaller, in parts'] },
    });
    expect(propose({ ...READ, preview }).preview).toBe('');
  });

  it('is refused under a key that was used for another command or another profile', () => {
    propose({ idempotencyKey: 'k' });
    at.authority.grantLease({ peer: 'self', profile: 'dev', durationMs: HOUR_MS, issuedBy: 'ap-1' });
    for (const change of [{ digest: sha256Hex('other') }, { profile: 'dev' }]) {
      expect(() => propose({ idempotencyKey: 'k', ...change })).toThrow(
        expect.objectContaining({
          ...{ code: 'CONFLICT', message: 'the key `k` was used for another command' },
          nextSteps: ['give each command a key of its own'],
        }),
      );
    }
  });

  it('by a task runs by the rights of the task, without a lease of its own', () => {
    for (const { id } of at.authority.listLeases({})) at.authority.revokeLease(id, 'ap-1');
    at.liveTasks.add('t1');
    at.taskClosure.push('manage_services');
    const execution = propose({ ...READ, asker: { ...IN_A, task: 't1' } });
    expect(at.gate.executions.start(execution.id, execution.digest)).toMatchObject({ started: true });
    expect(at.gate.executions.rights(execution)).toMatchObject({ granted: true, closure: ['manage_services'] });
  });

  it('is refused where the same is asked already, and says under which question', () => {
    const first = propose();
    const message = `the same command waits for an answer already: ${first.approval}`;
    const nextSteps = ['wait for that one: writ execution list'];
    expect(refusalOf({})).toEqual({ code: 'CONFLICT', message, nextSteps });
    expect(at.gate.executions.get(first.id)?.state).toBe('pending_approval');
    expect(at.gate.executions.list({ limit: 9 })).toHaveLength(1);
  });

  it('is asked for a task beside the same of its session: neither waits for the answer of the other', () => {
    at.liveTasks.add('t1');
    at.taskClosure.push('manage_services');
    const ofTask = { asker: { ...IN_A, task: 't1' } };
    const [own, tasks] = [propose(), propose(ofTask)];
    expect([own.state, tasks.state]).toEqual(['pending_approval', 'pending_approval']);
    expect(tasks.approval).not.toBe(own.approval);
    const message = `the same command waits for an answer already: ${tasks.approval}`;
    expect(refusalOf(ofTask)).toMatchObject({ code: 'CONFLICT', message });
    at.answer(own.approval ?? '', 'approve');
    expect(at.gate.executions.get(tasks.id)?.state).toBe('pending_approval');
  });

  it('is asked anew once the time of the same question is over, to the millisecond', () => {
    const first = propose({ lifetimeMs: 5000 });
    at.move(4999);
    expect(refusalOf({})).toMatchObject({ code: 'CONFLICT' });
    at.move(1);
    const again = propose();
    expect(again).toMatchObject({ state: 'pending_approval', approval: expect.any(String) });
    expect(again.approval).not.toBe(first.approval);
    expect(at.gate.approvals.get(first.approval ?? '')?.state).toBe('expired');
  });

  it('is refused where nobody could answer, with the reason', async () => {
    at.close();
    at = await createGateFixture({ alone: true });
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: HOUR_MS, issuedBy: 'person' });
    expect(refusalOf({})).toMatchObject({ code: 'APPROVAL_REQUIRED' });
    expect(propose(READ).state).toBe('proposed');
  });

  it('stores nothing of what there is no room to ask about, in whatever session', () => {
    for (let asked = 0; asked < 64; asked += 1)
      refusalOf({ digest: sha256Hex(`${asked}`), idempotencyKey: `k${asked}` });
    const before = at.gate.executions.list({ limit: 99 });
    expect(before.length).toBeLessThan(64);
    const message = expect.stringContaining('questions wait for an answer already');
    const large = { preview: { shown: true, text: 'x'.repeat(100_000) } as const, idempotencyKey: 'large' };
    expect(refusalOf({ ...large, digest: sha256Hex('large') })).toMatchObject({ code: 'LIMIT_EXCEEDED', message });
    expect(at.gate.executions.list({ limit: 99 })).toEqual(before);
    expect(before.every(({ state }) => state === 'pending_approval')).toBe(true);
    expect(at.database.auditTail(1)).toMatchObject([
      { action: 'execution.refused', details: { code: 'LIMIT_EXCEEDED' } },
    ]);
  });
});

function stateOf(event: GateFixture['events'][number]): string {
  switch (event.kind) {
    case 'approval':
      return event.approval.state;
    case 'execution':
      return event.execution.state;
    case 'window':
      return 'open';
  }
}
