import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { personAt, personShown } from '../person.ts';
import { createGateFixture, type GateFixture, HOUR_MS, IN_A } from '../testing/gate-fixture.ts';
import { clockQuestion } from './clock-kind.ts';

const MINUTE_MS = 60_000;
const PERSON = personAt(IN_A.origin);

let at: GateFixture;
const lend = () => at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: HOUR_MS, issuedBy: 'ap-1' });
const ask = () => {
  const markMs = at.database.nowMs();
  const wish = { markMs, wallMs: markMs - at.database.clockBehindMs() };
  const question = clockQuestion(wish, { asker: PERSON, lifetimeMs: 10 * MINUTE_MS }, personShown('a-b'));
  return at.database.withWriteTx((tx) => at.gate.approvals.ask(tx, question));
};
const asked = () => {
  const outcome = ask();
  if (!outcome.asked) throw new Error(outcome.refusal.message);
  return outcome.approval;
};
beforeEach(async () => {
  at = await createGateFixture();
  at.database.withWriteTx((tx) => {
    at.options.sessions.start(tx, { origin: PERSON.origin, id: PERSON.session, agent: PERSON.agent });
    tx.audit({ kind: 'node', action: 'node.started', actor: 'test' });
  });
});
afterEach(() => at.close());

describe('accepting a clock by a signed yes', () => {
  it('is asked and answered while the clock is back, and ends what is limited in time in one transaction', () => {
    lend();
    at.move(-2 * HOUR_MS);
    const { id, preview } = asked();
    const shown = (ms: number) => new Date(ms).toISOString();
    const markMs = at.database.nowMs();
    expect(preview).toContain(`accept the clock of this machine, which shows: ${shown(markMs - 2 * HOUR_MS)}\n`);
    expect(preview).toContain(`although this node has recorded: ${shown(markMs)}\n`);
    expect(preview).toContain('that is back by: 2h');
    expect(preview).toContain('with it end: every lease');
    expect(at.answer(id, 'approve')).toMatchObject({ decided: true });
    expect(at.database.clockIsBackwards()).toBe(false);
    expect(at.authority.listLeases({})).toEqual([]);
    const [row] = at.database.auditTail(50).filter(({ action }) => action === 'clock.accepted');
    expect(row?.actor).toBe('ap-1');
    expect(at.gate.approvals.get(id)).toMatchObject({ state: 'approved', decidedBy: 'ap-1' });
  });

  it('leaves everything as it was after a no, and after a yes that nobody signed', () => {
    lend();
    at.move(-2 * HOUR_MS);
    const { id } = asked();
    const statement = at.gate.approvals.statement(id, { answer: 'approve', scope: 'once' })!;
    expect(at.gate.approvals.decide(id, { statement, proof: { kind: 'terminal' } })).toMatchObject({
      check: 'approver',
    });
    expect(at.answer(id, 'deny')).toMatchObject({ decided: true });
    expect([at.database.clockIsBackwards(), at.authority.listLeases({}).length]).toEqual([true, 1]);
  });

  it('is about the clock that was shown: one that was set since is asked about anew', () => {
    at.move(-2 * HOUR_MS);
    const { id } = asked();
    for (const ms of [-2 * MINUTE_MS, 30 * MINUTE_MS]) {
      at.move(ms);
      expect(at.answer(id, 'approve')).toMatchObject({ decided: false, check: 'digest' });
      at.move(-ms);
    }
    expect(at.answer(id, 'approve')).toMatchObject({ decided: true });
  });

  it('is one question for one clock, whoever asks how often', () => {
    at.move(-2 * HOUR_MS);
    const { id } = asked();
    at.move(1000);
    expect(ask()).toMatchObject({ asked: true, isNew: false, approval: { id } });
  });

  it('is refused once the clock is right again, and asked by nothing else meanwhile', () => {
    at.move(-2 * HOUR_MS);
    const { id } = asked();
    expect(at.ask()).toMatchObject({ asked: false, refusal: { code: 'CLOCK_BACKWARDS' } });
    at.move(2 * HOUR_MS);
    expect(at.answer(id, 'approve')).toMatchObject({ decided: false });
    expect(at.authority.listLeases({})).toEqual([]);
  });
});
