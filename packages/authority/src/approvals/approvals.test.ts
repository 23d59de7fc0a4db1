import { sha256Hex } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  approverNamed,
  createGateFixture,
  GATE_POLICY,
  type GateFixture,
  HOUR_MS,
  IN_A,
  IN_B,
  OTHER_ID,
} from '../testing/gate-fixture.ts';
import type { Answer, DecideOutcome, Question } from './types.ts';

const TERMINAL = GATE_POLICY.replace('[leases]', '[approvals]\nmode = "terminal"\n[leases]');

describe('asking', () => {
  let at: GateFixture;
  const codeOf = (change: Partial<Question>): string => {
    const outcome = at.ask(change);
    return outcome.asked ? 'asked' : outcome.refusal.code;
  };
  beforeEach(async () => {
    at = await createGateFixture();
  });
  afterEach(() => at.close());

  it('stores the question, tells of it after the commit, and audits who asked', () => {
    const outcome = at.ask();
    expect(outcome).toMatchObject({ asked: true, isNew: true, approval: { state: 'pending', ...IN_A, generation: 1 } });
    expect(at.events).toEqual([{ kind: 'approval', approval: outcome.asked && outcome.approval }]);
    expect(at.database.auditTail(1)[0]).toMatchObject({ action: 'approval.requested', actor: 'self' });
  });

  it('asks the same question once while it waits, and anew when it has been answered', () => {
    const first = at.ask();
    const second = at.ask();
    expect(first.asked && second.asked && [second.isNew, second.approval.id === first.approval.id]).toEqual([
      false,
      true,
    ]);
    expect(at.events).toHaveLength(1);
    if (first.asked) at.answer(first.approval.id, 'deny');
    expect(at.ask()).toMatchObject({ asked: true, isNew: true });
  });

  it('ends a question that nobody answered in time where it is asked again', () => {
    const first = at.ask();
    at.move(HOUR_MS);
    expect(at.ask()).toMatchObject({ asked: true, isNew: true });
    expect(first.asked && at.gate.approvals.get(first.approval.id)?.state).toBe('expired');
  });

  it.each([
    ['a session that never was', { asker: { ...IN_A, session: 'none' } }],
    ['a session of another origin', { asker: { ...IN_A, origin: OTHER_ID } }],
    ['a session of another agent', { asker: { ...IN_A, agent: 'other' } }],
    ['a task that is gone', { asker: { ...IN_A, task: 't1' } }],
  ] as const)('leaves no trace for %s', (_, change) => {
    const before = [at.rows(), at.database.auditTail(99)];
    expect(codeOf(change)).toBe('NOT_FOUND');
    expect([at.rows(), at.database.auditTail(99)]).toEqual(before);
    expect(at.events).toEqual([]);
  });

  it('asks for a task that lives', () => {
    at.liveTasks.add('t1');
    expect(codeOf({ asker: { ...IN_A, task: 't1' } })).toBe('asked');
  });

  it.each(['origin', 'session', 'agent', 'requestedBy', 'task'] as const)(
    'takes no asker whose %s is blank',
    (part) => {
      for (const blank of ['', ' ', '\t\n']) {
        expect(() => at.ask({ asker: { ...IN_A, [part]: blank } })).toThrow(/is empty/);
      }
    },
  );

  it('refuses what cannot be shown whole, and times that are none', () => {
    expect(codeOf({ preview: { shown: false, message: 'too long' } })).toBe('BAD_REQUEST');
    for (const text of ['a\u001b[2Jb', 'a\u202eb', 'a\rb', 'a\u200bb', 'x'.repeat(256 * 1024 + 1)]) {
      expect(codeOf({ preview: { shown: true, text } })).toBe('BAD_REQUEST');
    }
    for (const lifetimeMs of [0, -1, 0.5, Number.NaN, 100 * 365 * 24 * HOUR_MS]) {
      expect(codeOf({ lifetimeMs })).toBe('BAD_REQUEST');
    }
    expect(codeOf({ preview: { shown: true, text: 'x'.repeat(64 * 1024) } })).toBe('asked');
  });

  it('asks nothing while the clock stands back', () => {
    at.ask();
    at.move(-61_000);
    expect(codeOf({ digest: sha256Hex('other') })).toBe('CLOCK_BACKWARDS');
  });

  it('lets no session and no peer bury a person in questions', async () => {
    at.close();
    at = await createGateFixture({ policy: GATE_POLICY.replace('[leases]', '[approvals]\nmax_pending = 2\n[leases]') });
    const digest = (i: number) => ({ digest: sha256Hex(String(i)) });
    expect([1, 2, 3].map((i) => codeOf(digest(i)))).toEqual(['asked', 'asked', 'LIMIT_EXCEEDED']);
    expect(codeOf({ ...digest(1) })).toBe('asked');
    expect(codeOf({ ...digest(4), asker: IN_B })).toBe('asked');
    expect(codeOf({ ...digest(4), asker: { ...IN_B, requestedBy: OTHER_ID } })).toBe('asked');
  });

  it('answers no at once where nobody could ever answer', async () => {
    at.close();
    at = await createGateFixture({ alone: true });
    expect(at.ask()).toMatchObject({ asked: false, refusal: { code: 'APPROVAL_REQUIRED' } });
    expect(at.gate.approvals.list({ pendingOnly: false, limit: 9 })).toEqual([]);
    at.close();
    at = await createGateFixture({ alone: true, policy: TERMINAL });
    expect(codeOf({})).toBe('asked');
  });
});

describe('deciding', () => {
  let at: GateFixture;
  let id: string;
  const ask = (change: Partial<Question> = {}): string => {
    const outcome = at.ask(change);
    if (!outcome.asked) throw new Error(outcome.refusal.message);
    return outcome.approval.id;
  };
  const failureOf = (outcome: DecideOutcome) =>
    outcome.decided ? 'decided' : `${outcome.check}: ${outcome.refusal.code}`;
  const answerWith = (change: (answer: Answer) => Answer, of = id, said: 'approve' | 'deny' = 'approve') => {
    const statement = at.gate.approvals.statement(
      of,
      said === 'deny' ? { answer: said } : { answer: said, scope: 'once' },
    )!;
    return at.gate.approvals.decide(id, change({ statement, proof: at.proofOf(statement) }));
  };
  beforeEach(async () => {
    at = await createGateFixture();
    id = ask();
    at.events.length = 0;
  });
  afterEach(() => at.close());

  it('says yes once, with who said it, how far it reaches and what proves it', () => {
    expect(at.answer(id, 'approve')).toMatchObject({
      decided: true,
      approval: { state: 'approved', decidedBy: 'ap-1', scope: 'once', proof: { kind: 'passphrase' } },
    });
    expect(at.settled).toEqual([`${id}: approved`]);
    expect(at.events).toMatchObject([{ kind: 'approval', approval: { state: 'approved' } }]);
    expect(at.database.auditTail(1)[0]).toMatchObject({ action: 'approval.approved', actor: 'ap-1', subject: id });
  });

  it('says no once', () => {
    expect(at.answer(id, 'deny')).toMatchObject({ decided: true, approval: { state: 'denied', decidedBy: 'ap-1' } });
    expect(at.gate.approvals.get(id)?.scope).toBeUndefined();
  });

  it.each(['approve', 'deny'] as const)('tells whoever comes too late to %s who was faster', (answer) => {
    at.answer(id, 'deny');
    const before = at.rows();
    expect(at.answer(id, answer)).toMatchObject({
      decided: false,
      check: 'pending',
      decidedBy: 'ap-1',
      refusal: { code: 'NOT_PENDING', message: expect.stringContaining('ap-1') },
    });
    expect(at.rows()).toEqual(before);
  });

  it('has one winner of many, whatever they say', () => {
    const outcomes = Array.from({ length: 64 }, (_, i) => at.answer(id, i % 3 === 0 ? 'deny' : 'approve'));
    expect(outcomes.filter(({ decided }) => decided)).toHaveLength(1);
    expect(at.settled).toEqual([`${id}: denied`]);
    expect(at.events).toHaveLength(1);
  });

  it.each<[string, string, (answer: Answer) => Answer]>([
    ['another question', 'id: WRONG_REQUEST', (a) => withStatement(a, { approval: 'other' })],
    ['another node', 'id: WRONG_REQUEST', (a) => withStatement(a, { node: OTHER_ID })],
    ['another kind', 'id: WRONG_REQUEST', (a) => withStatement(a, { kind: 'plan' })],
    ['another action', 'digest: CHANGED_SINCE_APPROVAL', (a) => withStatement(a, { digest: sha256Hex('x') })],
    ['another preview', 'digest: CHANGED_SINCE_APPROVAL', (a) => withStatement(a, { preview: sha256Hex('x') })],
    ['another time', 'digest: CHANGED_SINCE_APPROVAL', (a) => withStatement(a, { expiresAtMs: 1 })],
    ['a scope that was not offered', 'scope: BAD_REQUEST', (a) => withStatement(a, { scope: 'session' })],
    [
      'a signature of something else',
      'approver: NOT_APPROVER',
      (a) => ({ ...a, proof: at.proofOf({ ...a.statement, answer: 'deny' }) }),
    ],
    [
      'nobody’s signature',
      'approver: NOT_APPROVER',
      (a) => ({ ...a, proof: { kind: 'passphrase', approver: 'ap-9', signature: '' } }),
    ],
    ['a terminal that does not count', 'approver: NOT_APPROVER', (a) => ({ ...a, proof: { kind: 'terminal' } })],
  ])('an answer to or by %s changes nothing', (_, expected, change) => {
    const before = at.rows();
    const bent = (answer: Answer): Answer => {
      const changed = change(answer);
      // Signed as it is, where the change is not the signature itself.
      return changed.proof === answer.proof ? { ...changed, proof: at.proofOf(changed.statement) } : changed;
    };
    expect(failureOf(answerWith(bent))).toBe(expected);
    expect(at.rows()).toEqual(before);
    expect([at.events, at.settled]).toEqual([[], []]);
  });

  it('is not found under an id that is none', () => {
    const before = [at.rows(), at.database.auditTail(99)];
    const statement = at.gate.approvals.statement(id, { answer: 'deny' })!;
    const outcome = at.gate.approvals.decide('none', { statement, proof: at.proofOf(statement) });
    expect(failureOf(outcome)).toBe('id: NOT_FOUND');
    expect([at.rows(), at.database.auditTail(99)]).toEqual(before);
    expect(at.gate.approvals.statement('none', { answer: 'deny' })).toBeUndefined();
  });

  it.each(['approve', 'deny'] as const)('finds neither session nor task that vanished, to %s', (answer) => {
    at.liveTasks.add('t1');
    const ofTask = ask({ asker: { ...IN_B, task: 't1' } });
    at.liveTasks.delete('t1');
    const ofSession = id;
    at.database.withWriteTx((tx) => at.options.sessions.end(tx, IN_A.origin, IN_A.session));
    at.events.length = 0;
    const before = [at.rows(), at.database.auditTail(99)];
    expect(failureOf(at.answer(ofSession, answer))).toBe('session: NOT_FOUND');
    expect(failureOf(at.answer(ofTask, answer))).toBe('task: NOT_FOUND');
    expect([at.rows(), at.database.auditTail(99)]).toEqual(before);
    expect([at.events, at.settled]).toEqual([[], []]);
  });

  it('takes a no that names a scope for no answer', () => {
    expect(failureOf(answerWith((a) => signed(at, withStatement(a, { scope: 'once' })), id, 'deny'))).toBe(
      'scope: BAD_REQUEST',
    );
    const { scope: _, ...unscoped } = at.gate.approvals.statement(id, { answer: 'approve', scope: 'once' })!;
    expect(failureOf(at.gate.approvals.decide(id, { statement: unscoped, proof: at.proofOf(unscoped) }))).toBe(
      'scope: BAD_REQUEST',
    );
  });

  it('takes no answer after the time, or while the clock stands back', () => {
    at.move(HOUR_MS - 1);
    expect(at.ask({ digest: sha256Hex('x') }).asked).toBe(true);
    at.move(1);
    expect(failureOf(at.answer(id, 'approve'))).toBe('pending: EXPIRED');
    expect(at.gate.approvals.get(id)?.state).toBe('pending');
    at.move(-61_000);
    expect(failureOf(at.answer(id, 'approve'))).toBe('pending: CLOCK_BACKWARDS');
    expect(failureOf(at.answer(id, 'deny'))).toBe('pending: CLOCK_BACKWARDS');
  });

  it('knows an approver no more who was removed', () => {
    at.database.withWriteTx((tx) => at.gate.approvers.enroll(tx, approverNamed('ap-2'), 'ap-1'));
    at.database.withWriteTx((tx) => at.gate.approvers.remove(tx, 'ap-1', 'ap-2'));
    expect(failureOf(at.answer(id, 'approve'))).toBe('approver: NOT_APPROVER');
    expect(failureOf(at.answer(id, 'approve', 'once', 'ap-2'))).toBe('decided');
  });

  it('takes a terminal for an approver where the configuration says so, and says that it did', async () => {
    at.close();
    at = await createGateFixture({ policy: TERMINAL });
    id = ask();
    answerWith((answer) => ({ ...answer, proof: { kind: 'terminal' } }));
    expect(at.gate.approvals.get(id)).toMatchObject({ state: 'approved', decidedBy: 'terminal' });
  });

  it('denies what nobody answered in time, and tells of it', () => {
    at.move(HOUR_MS);
    expect(at.gate.approvals.sweep()).toEqual({ expired: 1, pruned: 0 });
    expect(at.settled).toEqual([`${id}: expired`]);
    expect(at.events).toMatchObject([{ approval: { state: 'expired', decidedBy: 'node' } }]);
    at.move(31 * 24 * HOUR_MS);
    expect(at.gate.approvals.sweep()).toEqual({ expired: 0, pruned: 1 });
  });

  it('ends with its session or task', () => {
    at.liveTasks.add('t1');
    const ofTask = ask({ asker: { ...IN_B, task: 't1' } });
    at.database.withWriteTx((tx) => at.gate.taskEnded(tx, 't1'));
    expect(at.gate.endSession(IN_A, 'self', [OTHER_ID])).toBe(true);
    expect(at.gate.endSession(IN_A, 'self', [OTHER_ID])).toBe(false);
    expect(() => at.gate.endSession({ ...IN_A, session: 'none' }, 'self', [])).toThrow(/no session/);
    expect(at.settled).toEqual([`${ofTask}: cancelled`, `${id}: cancelled`]);
    const owed = at.database.withReadTx((tx) => at.options.sessions.listOwedEnds(tx, { limit: 9 }));
    expect(owed).toEqual([{ origin: IN_A.origin, session: 'a', peer: OTHER_ID }]);
  });

  it('accepting a clock that went back ends what waits, and no late answer counts', () => {
    at.move(-40 * 24 * HOUR_MS);
    at.gate.acceptClock('ap-1');
    expect(at.gate.approvals.get(id)?.state).toBe('expired');
    expect(failureOf(at.answer(id, 'approve'))).toBe('pending: NOT_PENDING');
  });
});

describe('approvers', () => {
  it('are enrolled by those who are there, after the first', async () => {
    const at = await createGateFixture({ alone: true });
    const enroll = (id: string, by?: string) =>
      at.database.withWriteTx((tx) => at.gate.approvers.enroll(tx, approverNamed(id), by));
    const remove = (id: string, by: string) => at.database.withWriteTx((tx) => at.gate.approvers.remove(tx, id, by));
    enroll('ap-1');
    expect(() => enroll('ap-2')).toThrow(/has to say yes/);
    expect(() => enroll('ap-2', 'ap-2')).toThrow(/has to say yes/);
    enroll('ap-2', 'ap-1');
    expect(() => enroll('ap-1', 'ap-2')).toThrow(/enrolled before/);
    expect(() => remove('ap-1', 'person')).toThrow(/has to say yes/);
    expect([remove('ap-1', 'ap-2'), remove('ap-1', 'ap-2')]).toEqual([true, false]);
    expect(() => enroll('ap-3', 'ap-1')).toThrow(/has to say yes/);
    expect(at.gate.approvers.list().map(({ id }) => id)).toEqual(['ap-2']);
    at.close();
  });
});

function withStatement(answer: Answer, change: Partial<Answer['statement']>): Answer {
  return { ...answer, statement: { ...answer.statement, ...change } };
}

function signed(at: GateFixture, answer: Answer): Answer {
  return { ...answer, proof: at.proofOf(answer.statement) };
}
