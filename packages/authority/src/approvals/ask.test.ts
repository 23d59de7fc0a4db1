import { sha256Hex } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createGateFixture,
  GATE_POLICY,
  type GateFixture,
  HOUR_MS,
  IN_A,
  IN_B,
  OTHER_ID,
} from '../testing/gate-fixture.ts';
import type { Question } from './types.ts';

const DAY_MS = 24 * HOUR_MS;
const FEW = GATE_POLICY.replace('[leases]', '[approvals]\nmax_pending = 1\n[leases]');
const FULL_NEXT = [
  'have a person of the executing node answer some: writ approval list',
  'or let more wait there: approvals.max_pending in writ.toml',
];

let at: GateFixture;
const open = async (...args: Parameters<typeof createGateFixture>): Promise<void> => {
  at.close();
  at = await createGateFixture(...args);
};
const refusalOf = (change: Partial<Question>) => {
  const outcome = at.ask(change);
  return outcome.asked ? 'asked' : outcome.refusal;
};
const other = { digest: sha256Hex('other') };

beforeEach(async () => {
  at = await createGateFixture();
});
afterEach(() => at.close());

describe('whoever may not ask', () => {
  it('hears what cannot be shown, and what to do', () => {
    const nextSteps = ['ask for something smaller, in parts'];
    expect(refusalOf({ preview: { shown: false, message: '9MiB cannot be shown whole' } })).toEqual({
      ...{ code: 'BAD_REQUEST', message: '9MiB cannot be shown whole', nextSteps },
    });
    expect(refusalOf({ preview: { shown: true, text: 'a\u202eb' } })).toEqual({
      ...{ code: 'BAD_REQUEST', message: 'what would be approved has no text that can be shown', nextSteps },
    });
  });

  it('may let a question wait for seven days and no longer', () => {
    const late = {
      ...{ code: 'BAD_REQUEST', message: 'a question waits for at most 7d, and longer than no time' },
      nextSteps: ['give another time'],
    };
    for (const lifetimeMs of [0, -1, 7 * DAY_MS + 1, Number.POSITIVE_INFINITY]) {
      expect(refusalOf({ lifetimeMs })).toEqual(late);
    }
    expect([refusalOf({ lifetimeMs: 7 * DAY_MS }), refusalOf({ ...other, lifetimeMs: 1 })]).toEqual(['asked', 'asked']);
  });

  it('hears that the clock went back', () => {
    at.ask();
    at.move(-61_000);
    expect(refusalOf(other)).toEqual({
      code: 'CLOCK_BACKWARDS',
      message: 'the clock of this node went back, so that nothing that is limited in time is given',
      nextSteps: ['set the clock of the executing node right, or have its person accept it'],
    });
  });

  it('hears that nobody could answer, and how somebody could', async () => {
    await open({ alone: true });
    expect(refusalOf({})).toEqual({
      code: 'APPROVAL_REQUIRED',
      message: 'a person would have to approve this, and no approver is enrolled on this node',
      nextSteps: ['enrol an approver on the executing node: writ approver enroll'],
    });
  });

  it.each<[string, Partial<Question>]>([
    ['a session', {}],
    ['a task', { asker: { ...IN_A, task: 't1' } }],
  ])('hears that too much waits already, for %s', async (whose, change) => {
    await open({ policy: FEW });
    at.liveTasks.add('t1');
    at.ask(change.asker?.task === undefined ? {} : change);
    const message = `1 questions wait for an answer already, the most for ${whose}`;
    expect(refusalOf({ ...other, ...change })).toEqual({ code: 'LIMIT_EXCEEDED', message, nextSteps: FULL_NEXT });
  });

  it('hears so as a peer whose questions fill all that one peer may ask', async () => {
    await open({ policy: FEW });
    at.ask({ asker: { ...IN_A, requestedBy: OTHER_ID } });
    const message = '1 questions wait for an answer already, the most for a peer';
    expect(refusalOf({ asker: { ...IN_B, requestedBy: OTHER_ID } })).toMatchObject({ code: 'LIMIT_EXCEEDED', message });
    expect(refusalOf({ asker: IN_B })).toBe('asked');
  });

  it('hears so in a session that somebody else has filled', async () => {
    await open({ policy: FEW });
    at.ask({ asker: { ...IN_A, requestedBy: OTHER_ID } });
    const message = '1 questions wait for an answer already, the most for a session';
    expect(refusalOf(other)).toMatchObject({ code: 'LIMIT_EXCEEDED', message });
  });

  it('is refused for nothing that others ask under the same name in sessions of theirs', async () => {
    await open({ policy: FEW });
    expect([refusalOf({ asker: IN_B }), refusalOf({ ...other, asker: IN_B })]).toMatchObject([
      'asked',
      { message: '1 questions wait for an answer already, the most for a session' },
    ]);
    expect(refusalOf({ asker: IN_A })).toBe('asked');
  });

  it('hears so as one agent of many, whichever sessions the others have', async () => {
    await open({ policy: FEW });
    const ask = (session: string, agent: string) => {
      at.database.withWriteTx((tx) => at.options.sessions.start(tx, { origin: IN_A.origin, id: session, agent }));
      return refusalOf({ asker: { ...IN_A, session, agent } });
    };
    const asked = Array.from({ length: 8 }, (_, place) => ask(`s${place}`, `agent ${place}`));
    expect(asked).toEqual(Array.from({ length: 8 }, () => 'asked'));
    const message = '8 questions wait for an answer already, the most for the agents of a node';
    expect(ask('s9', 'agent 9')).toMatchObject({ code: 'LIMIT_EXCEEDED', message });
  });

  it('fills half of the room of its session as a task, and no more', async () => {
    await open({ policy: FEW.replace('max_pending = 1', 'max_pending = 4') });
    at.liveTasks.add('t1');
    const ofTask = (about: string) => refusalOf({ asker: { ...IN_A, task: 't1' }, digest: sha256Hex(about) });
    expect([ofTask('a'), ofTask('b')]).toEqual(['asked', 'asked']);
    expect(ofTask('c')).toMatchObject({ message: '2 questions wait for an answer already, the most for a task' });
    expect(refusalOf(other)).toBe('asked');
  });

  it('asks so often in a minute and no oftener, whatever becomes of the questions, and others ask on', async () => {
    await open({ policy: FEW });
    const askAndCancel = (about: number) => {
      const outcome = at.ask({ digest: sha256Hex(`${about}`) });
      if (!outcome.asked) return outcome.refusal;
      at.database.withWriteTx((tx) => at.gate.approvals.cancel(tx, outcome.approval.id));
      return 'asked';
    };
    expect([1, 2, 3, 4].map(askAndCancel)).toEqual(['asked', 'asked', 'asked', 'asked']);
    const message = '4 questions were put in this session within 1m, the most that may be';
    expect(askAndCancel(5)).toMatchObject({ code: 'LIMIT_EXCEEDED', message });
    expect(refusalOf({ ...other, asker: IN_B })).toBe('asked');
    at.move(60_000);
    at.database.withWriteTx((tx) => at.gate.approvals.cancelOf(tx, IN_B));
    expect(askAndCancel(6)).toBe('asked');
    // What was asked while the clock was ahead is not counted for as long as it was.
    at.move(86_400_000);
    expect([7, 8, 9, 10].map(askAndCancel)).toEqual(['asked', 'asked', 'asked', 'asked']);
    at.move(-86_400_000);
    at.gate.acceptClock('person');
    expect(askAndCancel(11)).toBe('asked');
  });

  it.each([
    ['of this node asks, together with the others, eight', 'self', 8, 'by the agents of this node'],
    ['of a peer asks four', OTHER_ID, 4, 'by this peer'],
  ])('%s times as much in a minute as may wait, in however many sessions', async (_, requestedBy, most, whose) => {
    await open({ policy: FEW });
    const askAndCancel = (session: string) => {
      at.database.withWriteTx((tx) => at.options.sessions.start(tx, { origin: IN_A.origin, id: session, agent: 'x' }));
      const outcome = at.ask({ asker: { ...IN_A, session, agent: 'x', requestedBy } });
      if (!outcome.asked) return outcome.refusal;
      at.database.withWriteTx((tx) => at.gate.approvals.cancel(tx, outcome.approval.id));
      return 'asked';
    };
    const asked = Array.from({ length: most }, (_, place) => askAndCancel(`s${place}`));
    expect(asked).toEqual(asked.map(() => 'asked'));
    const message = `${most} questions were put ${whose} within 1m, the most that may be`;
    expect(askAndCancel('more')).toMatchObject({ code: 'LIMIT_EXCEEDED', message });
    // Nobody else is kept from asking by it.
    expect(refusalOf({ asker: { ...IN_B, requestedBy: requestedBy === 'self' ? OTHER_ID : 'self' } })).toBe('asked');
    at.move(60_000);
    expect(askAndCancel('later')).toBe('asked');
    at.move(86_400_000);
    expect(asked.map((_, place) => askAndCancel(`ahead${place}`))).toEqual(asked);
    expect(askAndCancel('ahead')).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    at.move(-86_400_000);
    at.gate.acceptClock('person');
    expect(askAndCancel('after')).toBe('asked');
  });

  it('is remembered with who asked for what kind and why it was refused, and never what it said', () => {
    at.ask({ preview: { shown: false, message: 'too long' } });
    expect(at.database.auditTail(1)).toMatchObject([
      {
        ...{ kind: 'approval', action: 'approval.not-asked', actor: 'self' },
        details: { kind: 'permission', origin: IN_A.origin, session: 'a', agent: 'agent', code: 'BAD_REQUEST' },
      },
    ]);
  });

  it('can be told before it asks, whether or not its session is there', async () => {
    const told = (change: Partial<Question> = {}) => {
      const question: Question = {
        ...{ kind: 'permission', asker: { ...IN_A, session: 'none' }, digest: sha256Hex('x'), subject: {} },
        ...{ scopes: ['once'], preview: { shown: true, text: 'x' }, lifetimeMs: HOUR_MS },
        ...change,
      };
      return at.database.withWriteTx((tx) => at.gate.approvals.refusalOf(tx, question))?.code;
    };
    expect([told(), told({ lifetimeMs: 0 })]).toEqual([undefined, 'BAD_REQUEST']);
    await open({ policy: FEW });
    at.ask();
    const before = at.rows();
    expect([told({ asker: IN_A }), at.rows()]).toEqual(['LIMIT_EXCEEDED', before]);
  });
});

describe('a question', () => {
  it('leaves a row of who asked for what, and another of what became of it, with its task and how far it reaches', () => {
    at.liveTasks.add('t1');
    const [plain, ofTask] = [at.ask(), at.ask({ asker: { ...IN_A, task: 't1' }, ...other })];
    if (!plain.asked || !ofTask.asked) throw new Error('not asked');
    const whose = { kind: 'permission', origin: IN_A.origin, session: 'a', agent: 'agent' };
    at.answer(ofTask.approval.id, 'approve', 'once');
    expect(at.database.auditTail(3)).toMatchObject([
      {
        ...{ kind: 'approval', action: 'approval.approved', actor: 'ap-1', subject: ofTask.approval.id },
        details: { ...whose, ...other, task: 't1', scope: 'once' },
      },
      { action: 'approval.requested', actor: 'self', details: { ...whose, ...other, task: 't1', scope: null } },
      { action: 'approval.requested', subject: plain.approval.id, details: { task: null, scope: null } },
    ]);
  });

  it('is not told of where its transaction fails', () => {
    const failing = () =>
      at.database.withWriteTx((tx) => {
        const question = { kind: 'permission', asker: IN_A, digest: sha256Hex('x'), subject: {} } as const;
        const shown = { scopes: ['once'], preview: { shown: true, text: 'x' }, lifetimeMs: HOUR_MS } as const;
        expect(at.gate.approvals.ask(tx, { ...question, ...shown }).asked).toBe(true);
        throw new Error('rolled back');
      });
    expect(failing).toThrow('rolled back');
    expect([at.events, at.gate.approvals.list({ pendingOnly: false, limit: 9 })]).toEqual([[], []]);
  });

  it('waits until its time, to the millisecond, and keeps what was shown', () => {
    const outcome = at.ask({ preview: { shown: true, text: 'remove all of it' }, lifetimeMs: 5000 });
    expect(outcome).toMatchObject({
      ...{ asked: true, approval: { preview: 'remove all of it', expiresAtMs: at.database.nowMs() + 5000 } },
    });
    at.move(4999);
    expect(at.ask({ preview: { shown: true, text: 'remove all of it' } })).toMatchObject({ isNew: false });
  });
});
