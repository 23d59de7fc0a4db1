import { sha256Hex } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateFixture, type GateFixture, IN_A, IN_B, OTHER_ID } from './testing/gate-fixture.ts';

describe('the end of a session', () => {
  let at: GateFixture;
  beforeEach(async () => {
    at = await createGateFixture();
  });
  afterEach(() => at.close());

  const key = { origin: IN_A.origin, session: IN_A.session };
  const owed = () =>
    at.database.withReadTx((tx) => at.options.sessions.listOwedEnds(tx, { limit: 9 })).map(({ peer }) => peer);

  it('is one, and is told to whoever holds something for it, with the word of its origin where there is one', () => {
    let told = 0;
    const stop = at.gate.onEndOwed(() => {
      told += 1;
    });
    expect(at.gate.endSession(key, 'person', [OTHER_ID], Uint8Array.of(7))).toBe(true);
    expect(at.gate.endSession(key, 'person', [OTHER_ID])).toBe(false);
    expect([owed(), told]).toEqual([[OTHER_ID], 1]);
    expect(at.database.auditTail(1)).toMatchObject([
      { kind: 'session', action: 'session.ended', actor: 'person', subject: 'a', details: { origin: IN_A.origin } },
    ]);
    expect(at.gate.endSession({ ...key, session: IN_B.session }, 'person', [])).toBe(true);
    stop();
    expect([owed(), told]).toEqual([[OTHER_ID], 1]);
  });

  it('is told in the words of its origin where those came with it', () => {
    at.gate.endSession(key, 'person', [OTHER_ID], Uint8Array.of(7));
    at.gate.endSession({ ...key, session: IN_B.session }, 'person', [OTHER_ID]);
    const ends = at.database.withReadTx((tx) => at.options.sessions.listOwedEnds(tx, { limit: 9 }));
    expect(ends.map(({ session, statement }) => [session, statement && [...statement]]).sort()).toEqual([
      ['a', [7]],
      ['b', undefined],
    ]);
  });

  it('is an error where there is none', () => {
    expect(() => at.gate.endSession({ ...key, session: 'none' }, 'person', [OTHER_ID])).toThrow(
      expect.objectContaining({
        ...{ code: 'NOT_FOUND', message: 'no session `none`', nextSteps: ['writ session list'] },
      }),
    );
    expect(owed()).toEqual([]);
  });

  it('ends what waits in it, and nothing of another one or of a task that is none of its', () => {
    at.liveTasks.add('t1');
    const ask = (asker: typeof IN_A, of: string) => {
      const outcome = at.ask({ asker, digest: sha256Hex(of) });
      if (!outcome.asked) throw new Error(outcome.refusal.message);
      return outcome.approval.id;
    };
    const [mine, other, ofTask] = [ask(IN_A, 'x'), ask(IN_B, 'x'), ask({ ...IN_B, task: 't1' }, 'y')];
    at.gate.endSession(key, 'person', []);
    const states = () => [mine, other, ofTask].map((id) => at.gate.approvals.get(id)?.state);
    expect(states()).toEqual(['cancelled', 'pending', 'pending']);
    at.database.withWriteTx((tx) => at.gate.taskEnded(tx, 't1'));
    expect(states()).toEqual(['cancelled', 'pending', 'cancelled']);
  });
});
