import { describe, expect, it } from 'vitest';
import { type AskedKind, type Moment, type Race, type RivalName, runRace } from './rivals.ts';

const ANSWERS = ['approve', 'deny'] as const;
const KINDS: readonly AskedKind[] = ['execution', 'task command', 'plan', 'permission'];
const OF_A_TASK: readonly AskedKind[] = ['task command', 'permission'];
/** What rests on the policy and the leases of this node. */
const OF_POLICY: readonly AskedKind[] = ['execution', 'plan'];
const EARLY: readonly Moment[] = ['look', 'answer'];

/** Every race of these kinds with a rival, as rows of a test. */
function races(rival: RivalName, kinds: readonly AskedKind[], moments: readonly Moment[]): readonly Race[] {
  return kinds.flatMap((kind) =>
    ANSWERS.flatMap((answer) => moments.map((moment) => ({ kind, answer, rival, moment }))),
  );
}

describe('an answer, and what happens while it is given', () => {
  it.each([...races('task ends', OF_A_TASK, EARLY), ...races('session ends', KINDS, EARLY)])(
    'is NOT_FOUND once a rival came first ($rival): $kind, $answer, before the $moment',
    async (race) => {
      const { outcome, state, unchanged, told, afterwards } = await runRace(race);
      expect(outcome).toMatchObject({ decided: false, refusal: { code: 'NOT_FOUND' } });
      expect({ state, unchanged, told }).toEqual({ state: 'cancelled', unchanged: true, told: 0 });
      expect(['0 open', 'cancelled: CANCELLED']).toContain(afterwards);
    },
  );

  it.each([...races('reload', OF_POLICY, EARLY), ...races('revoke', OF_POLICY, EARLY)])(
    'is held up by a $rival where it is a yes, and by nothing where it is a no: $kind, $answer, $moment',
    async (race) => {
      const { outcome, state, unchanged, told, afterwards } = await runRace(race);
      if (race.answer === 'deny') {
        expect(outcome).toMatchObject({ decided: true, approval: { decidedBy: 'ap-1' } });
        expect({ state, told }).toEqual({ state: 'denied', told: 1 });
      } else {
        expect(outcome).toMatchObject({ decided: false, check: 'policy' });
        expect({ state, unchanged, told }).toEqual({ state: 'pending', unchanged: true, told: 0 });
      }
      expect(['0 open', 'waits', 'denied: APPROVAL_REQUIRED']).toContain(afterwards);
    },
  );

  it.each(races('expiry', KINDS, EARLY))('comes too late: $kind, $answer, before the $moment', async (race) => {
    const { outcome, state, unchanged, told, afterwards } = await runRace(race);
    expect(outcome).toMatchObject({ decided: false, check: 'pending' });
    expect({ state, unchanged, told }).toEqual({ state: 'expired', unchanged: true, told: 0 });
    expect(['0 open', 'expired: EXPIRED']).toContain(afterwards);
  });

  it.each([...races('other yes', KINDS, EARLY), ...races('other no', KINDS, EARLY)])(
    'is told who was faster: $kind, $answer after the $rival, before the $moment',
    async (race) => {
      const { outcome, state, unchanged, told } = await runRace(race);
      expect(outcome).toMatchObject({ decided: false, decidedBy: 'ap-2', refusal: { code: 'NOT_PENDING' } });
      expect({ unchanged, told }).toEqual({ unchanged: true, told: 0 });
      expect(state).toBe(race.rival === 'other yes' ? 'approved' : 'denied');
    },
  );

  it.each([
    ...races('task ends', ['task command'], ['start']),
    ...races('session ends', ['execution', 'task command'], ['start']),
    ...races('reload', ['execution'], ['start']),
    ...races('revoke', ['execution'], ['start']),
    ...races('expiry', ['execution', 'task command'], ['start']),
  ])('stands, and starts nothing once the $rival came: $kind, $answer', async (race) => {
    const { outcome, state, told, afterwards } = await runRace(race);
    expect(outcome.decided).toBe(true);
    expect({ state, told }).toEqual({ state: race.answer === 'approve' ? 'approved' : 'denied', told: 1 });
    expect(afterwards).toMatch(
      race.answer === 'deny' ? /^denied: APPROVAL_REQUIRED$/ : /^(cancelled: CANCELLED|failed: \w+|expired: EXPIRED)$/,
    );
  });

  it.each([
    ...races('session ends', ['plan'], ['start']),
    ...races('reload', ['plan'], ['start']),
    ...races('revoke', ['plan'], ['start']),
    ...races('expiry', ['plan'], ['start']),
  ])('leaves no window open after the $rival: $answer', async (race) => {
    expect(await runRace(race)).toMatchObject({ outcome: { decided: true }, afterwards: '0 open' });
  });

  it.each(races('other no', KINDS, ['start']))('is final: $kind, $answer', async (race) => {
    const { outcome, state } = await runRace(race);
    expect([outcome.decided, state]).toEqual([true, race.answer === 'approve' ? 'approved' : 'denied']);
  });
});
