import { sha256Hex } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { personAt } from '../person.ts';
import type { Asker } from '../record-types.ts';
import { OF_ONE_CALL } from '../session-ids.ts';
import { createGateFixture, GATE_POLICY, type GateFixture, IN_A, OTHER_ID } from '../testing/gate-fixture.ts';

const PERSON = personAt(IN_A.origin);

let at: GateFixture;
beforeEach(async () => {
  at = await createGateFixture({ policy: GATE_POLICY.replace('[leases]', '[approvals]\nmax_pending = 2\n[leases]') });
  at.database.withWriteTx((tx) =>
    at.options.sessions.start(tx, { origin: PERSON.origin, id: PERSON.session, agent: PERSON.agent }),
  );
});
afterEach(() => at.close());

const ask = (asker: typeof PERSON, about: string): string => {
  const outcome = at.ask({ asker, digest: sha256Hex(about) });
  return outcome.asked ? outcome.approval.id : outcome.refusal.code;
};
const stateOf = (id: string) => at.gate.approvals.get(id)?.state;

it('keeps what was asked in the name of the person for two minutes, whatever is asked after it', () => {
  const own = [ask(PERSON, 'a'), ask(PERSON, 'b')];
  at.move(119_999);
  const outcome = at.ask({ asker: PERSON, digest: sha256Hex('c') });
  expect(outcome).toMatchObject({
    refusal: {
      code: 'LIMIT_EXCEEDED',
      message: '2 questions in the name of the person wait, each for less than 2m',
      nextSteps: [expect.stringContaining('writ approval deny'), expect.stringContaining('ask again in 2m')],
    },
  });
  expect(own.map(stateOf)).toEqual(['pending', 'pending']);
});

it('keeps the person from asking by nothing that was asked in their name before: what waits longest gives way', () => {
  const [first, second] = ['a', 'b'].map((about) => ask(PERSON, about));
  at.move(120_000);
  const third = ask(PERSON, 'c');
  expect([first, second, third].map((id) => stateOf(id ?? ''))).toEqual(['cancelled', 'pending', 'pending']);
  expect(at.settled).toEqual([`${first}: cancelled`]);
  // The same question again is the one that waits, and takes nobody's place.
  expect(ask(PERSON, 'b')).toBe(second);
  expect(at.answer(third ?? '', 'approve')).toMatchObject({ decided: true });
});

it('gives way to the person only what waits in their name, the oldest of that, whatever was answered or asked elsewhere', () => {
  const elsewhere = ask(IN_A, 'x');
  at.move(1);
  const answered = ask(PERSON, 'a');
  at.answer(answered, 'deny');
  const [first, second] = [ask(PERSON, 'b'), ask(PERSON, 'c')];
  at.move(120_000);
  expect(stateOf(ask(PERSON, 'd'))).toBe('pending');
  expect([elsewhere, answered, first, second].map(stateOf)).toEqual([...['pending', 'denied', 'cancelled', 'pending']]);
});

describe('calls without a session', () => {
  const call = (about: string, task?: string): string => {
    const asker = { ...IN_A, session: `${OF_ONE_CALL}${about}`, agent: 'cli', ...(task === undefined ? {} : { task }) };
    at.database.withWriteTx((tx) =>
      at.options.sessions.start(tx, { origin: asker.origin, id: asker.session, agent: asker.agent }),
    );
    return ask(asker, about);
  };

  it('share the room of one session, in which what waits longest gives way after two minutes', () => {
    const [first, second] = [call('a'), call('b')];
    at.move(119_999);
    const asker = { ...IN_A, session: `${OF_ONE_CALL}a`, agent: 'cli' };
    expect(at.ask({ asker, digest: sha256Hex('c') })).toMatchObject({
      refusal: {
        code: 'LIMIT_EXCEEDED',
        message: '2 questions of calls without a session wait, each for less than 2m',
        nextSteps: expect.arrayContaining(['or ask in a session: writ session start']),
      },
    });
    at.move(1);
    const third = call('c');
    expect([first, second, third].map(stateOf)).toEqual(['cancelled', 'pending', 'pending']);
  });

  it('ask so often in a minute together and no oftener, which keeps neither the person nor a session from asking', () => {
    for (const about of '12345678') {
      const id = call(about);
      at.database.withWriteTx((tx) => at.gate.approvals.cancel(tx, id));
    }
    const asker = { ...IN_A, session: `${OF_ONE_CALL}1`, agent: 'cli' };
    expect(at.ask({ asker, digest: sha256Hex('more') })).toMatchObject({
      refusal: {
        ...{
          code: 'LIMIT_EXCEEDED',
          message: expect.stringMatching(/^8 questions were put by calls without a session/),
        },
        nextSteps: ['ask again in 1m', 'ask about several commands at once: propose_plan'],
      },
    });
    expect([ask(PERSON, 'own'), ask(IN_A, 'x')].map(stateOf)).toEqual(['pending', 'pending']);
    at.move(60_000);
    expect(stateOf(call('later'))).toBe('pending');
  });

  it('are none of a peer, or of a task, whose session has a name like theirs: each has its own limit there', () => {
    at.liveTasks.add('t1');
    const own = [call('of a task', 't1'), call('of another')];
    const refusal = (asker: Asker) => at.ask({ asker, digest: sha256Hex('more') });
    const session = `${OF_ONE_CALL}of a task`;
    expect(refusal({ ...IN_A, session, agent: 'cli', task: 't1' })).toMatchObject({
      refusal: { message: '1 questions wait for an answer already, the most for a task' },
    });
    const peers = { ...IN_A, requestedBy: OTHER_ID, agent: 'cli' };
    own.push(ask({ ...peers, session }, 'x'), ask({ ...peers, session: `${OF_ONE_CALL}of another` }, 'y'));
    const third = { ...peers, session: `${OF_ONE_CALL}third` };
    at.database.withWriteTx((tx) => at.options.sessions.start(tx, { ...third, id: third.session }));
    expect(refusal(third)).toMatchObject({
      refusal: { message: '2 questions wait for an answer already, the most for a peer' },
    });
    at.move(120_000);
    expect(ask(third, 'later')).toBe('LIMIT_EXCEEDED');
    expect(own.map(stateOf)).toEqual(own.map(() => 'pending'));
  });

  it('are kept from asking by no session, keep none from asking, and push out nothing of a session or a task', () => {
    at.liveTasks.add('t1');
    const kept = [ask(IN_A, 'x'), call('of a task', 't1')];
    const many = Array.from({ length: 14 }, (_, place) => {
      const id = `s${place}`;
      at.database.withWriteTx((tx) => at.options.sessions.start(tx, { origin: IN_A.origin, id, agent: 'cli' }));
      return ask({ ...IN_A, session: id, agent: 'cli' }, id);
    });
    at.move(120_000);
    expect(ask(IN_A, 'y')).toBe('LIMIT_EXCEEDED');
    const calls = ['a', 'b'].map((about) => call(about));
    at.move(120_000);
    calls.push(call('c'));
    expect(calls.map(stateOf)).toEqual(['cancelled', 'pending', 'pending']);
    expect([...kept, ...many].map(stateOf)).toEqual(Array.from({ length: 16 }, () => 'pending'));
    at.answer(many[0] ?? '', 'deny');
    expect(stateOf(ask(IN_A, 'y'))).toBe('pending');
  });
});

it('lets agents and sessions have their own limit, and gives way to none of theirs', () => {
  const own = [ask(PERSON, 'a'), ask(PERSON, 'b')];
  expect([ask(IN_A, 'x'), ask(IN_A, 'y')].map(stateOf)).toEqual(['pending', 'pending']);
  expect(ask(IN_A, 'z')).toBe('LIMIT_EXCEEDED');
  expect(own.map(stateOf)).toEqual(['pending', 'pending']);
});
