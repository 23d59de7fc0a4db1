import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateFixture, type GateFixture, HOUR_MS, IN_A } from '../testing/gate-fixture.ts';

const ANEW = ['look at it again and answer what is shown then'];

describe('an answer that is not taken', () => {
  let at: GateFixture;
  beforeEach(async () => {
    at = await createGateFixture();
  });
  afterEach(() => at.close());

  const ask = (change: Parameters<GateFixture['ask']>[0] = {}): string => {
    const outcome = at.ask({ scopes: ['once', 'session'], ...change });
    if (!outcome.asked) throw new Error(outcome.refusal.message);
    return outcome.approval.id;
  };
  const answer = (id: string, change: object = {}, to = id) => {
    const right = at.gate.approvals.statement(id, { answer: 'approve', scope: 'once' });
    if (right === undefined) throw new Error('the question is gone');
    const statement = { ...right, ...change };
    return at.gate.approvals.decide(to, { statement, proof: at.proofOf(statement) });
  };
  const end = (id: string) => at.database.withWriteTx((tx) => at.gate.approvals.cancel(tx, id));
  const refused = (check: string, code: string, message: string, nextSteps: readonly string[]) => ({
    ...{ decided: false, check },
    refusal: { code, message, nextSteps },
  });

  it('hears which check failed, in words, and what to do', () => {
    const id = ask();
    expect(answer(id, {}, 'none')).toEqual(refused('id', 'NOT_FOUND', 'no approval `none`', ['writ approval list']));
    for (const change of [{ approval: 'other' }, { node: 'other' }, { kind: 'plan' }]) {
      const other = refused('id', 'WRONG_REQUEST', 'the answer was given to another question', ANEW);
      expect(answer(id, change)).toEqual(other);
    }
    for (const change of [{ digest: 'x' }, { preview: 'x' }, { expiresAtMs: 1 }]) {
      const changed = refused('digest', 'CHANGED_SINCE_APPROVAL', 'what would be done is not what was shown', ANEW);
      expect(answer(id, change)).toEqual(changed);
    }
    const scope = refused('scope', 'BAD_REQUEST', 'this question offers no such scope', [
      'it can be approved for: once, session',
    ]);
    expect([answer(id, { scope: 'target' }), answer(id, { answer: 'deny' })]).toEqual([scope, scope]);
    at.move(HOUR_MS);
    expect(answer(id)).toEqual(refused('pending', 'EXPIRED', 'the time to answer is over', ['have it asked anew']));
    expect(at.gate.approvals.get(id)).toMatchObject({ state: 'pending', version: 1 });
  });

  it('hears of a person who was faster, and of the node only that it ended', () => {
    const late = (id: string) => answer(id);
    const pending = (message: string, decidedBy: string) => ({
      ...refused('pending', 'NOT_PENDING', message, ['nothing is left to do']),
      decidedBy,
    });
    const [denied, cancelled, expired] = [ask(), ask({ digest: 'a'.repeat(64) }), ask({ digest: 'b'.repeat(64) })];
    at.answer(denied, 'deny');
    expect(late(denied)).toEqual(pending('it is denied already by ap-1', 'ap-1'));
    end(cancelled);
    end(cancelled);
    expect(late(cancelled)).toEqual(pending('it is cancelled already', 'node'));
    at.move(HOUR_MS);
    at.gate.approvals.sweep();
    expect(late(expired)).toEqual(pending('it is expired already', 'node'));
  });

  it('finds nothing where its session or its task has ended, but hears of an answer that came before', () => {
    const gone = (check: string) =>
      refused(check, 'NOT_FOUND', `the ${check} that asked is not there any more`, [
        'nothing was changed; ask anew from a session that lives',
      ]);
    at.liveTasks.add('t1');
    const [ofTask, decided] = [ask({ asker: { ...IN_A, task: 't1' } }), ask()];
    at.answer(decided, 'deny');
    at.liveTasks.delete('t1');
    expect(answer(ofTask)).toEqual(gone('task'));
    at.gate.endSession({ origin: IN_A.origin, session: IN_A.session }, 'person', []);
    expect([answer(ofTask), answer(decided)]).toMatchObject([gone('session'), { check: 'pending', decidedBy: 'ap-1' }]);
  });

  it('is remembered with who failed at what, except for what is not there', () => {
    const id = ask();
    answer(id, { digest: 'x' });
    expect(at.database.auditTail(1)).toMatchObject([
      {
        ...{ kind: 'approval', action: 'approval.answer-refused', actor: 'person', subject: id },
        details: { check: 'digest', code: 'CHANGED_SINCE_APPROVAL' },
      },
    ]);
    at.gate.endSession({ origin: IN_A.origin, session: IN_A.session }, 'person', []);
    const last = at.database.auditTail(1);
    answer(id);
    expect(at.database.auditTail(1)).toEqual(last);
  });

  it('differs from a yes, which is good for as long again as the question waited at most', () => {
    const id = ask();
    at.move(HOUR_MS / 2);
    const outcome = answer(id);
    const { createdAtMs = 0 } = at.gate.approvals.get(id) ?? {};
    expect(outcome).toMatchObject({ approval: { state: 'approved', useByMs: createdAtMs + 1.5 * HOUR_MS } });
    const denied = ask({ digest: 'a'.repeat(64) });
    at.answer(denied, 'deny');
    expect(at.gate.approvals.get(denied)?.useByMs).toBeUndefined();
  });

  it.each(['origin', 'session', 'agent', 'requestedBy', 'task'] as const)('is to nobody whose %s is blank', (part) => {
    expect(() => ask({ asker: { ...IN_A, [part]: ' ' } })).toThrow(
      expect.objectContaining({
        ...{ code: 'BAD_REQUEST', message: `the ${part} of who asks is empty` },
        nextSteps: ['ask with a credential that names a session'],
      }),
    );
  });
});
