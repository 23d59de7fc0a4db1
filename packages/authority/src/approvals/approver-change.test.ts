import { afterEach, describe, expect, it } from 'vitest';
import { PERSON, personAt } from '../person.ts';
import {
  approverNamed,
  createGateFixture,
  GATE_POLICY,
  type GateFixture,
  HOUR_MS,
  IN_A,
} from '../testing/gate-fixture.ts';
import { type ApproverChange, approverQuestion } from './approver-change.ts';

let at: GateFixture;
afterEach(() => at.close());

const SHOWN = { label: 'me', words: 'a-b-c-d' };
const ENROLL: ApproverChange = { act: 'enroll', approver: approverNamed('ap-2') };
const remove = (id: string): ApproverChange => ({ act: 'remove', approver: { id, label: id } });

/** Asks as the person at the node; the id of the question. */
function ask(change: ApproverChange): string {
  const { database, options, gate } = at;
  const asker = personAt(IN_A.origin);
  const outcome = database.withWriteTx((tx) => {
    options.sessions.start(tx, { origin: asker.origin, id: PERSON, agent: PERSON });
    return gate.approvals.ask(tx, approverQuestion(change, { asker, lifetimeMs: HOUR_MS }, SHOWN));
  });
  if (!outcome.asked) throw new Error(outcome.refusal.message);
  return outcome.approval.id;
}

const enrolled = (): readonly string[] => at.gate.approvers.list().map(({ id }) => id);

describe('a further approver', () => {
  it('is enrolled by the yes of one who is there, who sees whose key it is', async () => {
    at = await createGateFixture();
    const id = ask(ENROLL);
    expect(at.gate.approvals.get(id)).toMatchObject({ kind: 'policy', scopes: ['once'] });
    expect(at.gate.approvals.get(id)?.preview).toContain('enrol as an approver: ap-2\nwhose key is: ap-2');
    expect(at.answer(id, 'approve', 'once', 'ap-2')).toMatchObject({ decided: false, check: 'approver' });
    expect(enrolled()).toEqual(['ap-1']);
    expect(at.answer(id, 'approve')).toMatchObject({ decided: true });
    expect(enrolled()).toEqual(['ap-1', 'ap-2']);
  });

  it('is shown whole to whoever is asked, with what it means', async () => {
    at = await createGateFixture();
    const preview = (id: string) => at.gate.approvals.get(id)?.preview.split('\n').slice(3);
    const enrolment = ask({ act: 'enroll', approver: { ...approverNamed('ap-2'), label: 'ann' } });
    const removal = ask({ act: 'remove', approver: { id: 'ap-1', label: 'bob' } });
    expect(preview(enrolment)).toEqual([
      ...['enrol as an approver: ann', 'whose key is: ap-2'],
      'afterwards: whoever holds that key can answer everything on this node',
    ]);
    expect(preview(removal)).toEqual([
      ...['remove the approver: bob', 'whose key is: ap-1'],
      'afterwards: it answers nothing on this node any more; its windows and unused answers end, its leases stay',
      'where it is the last one: the host token alone, which agents have too, lends, pairs and widens',
    ]);
  });

  it('leaves a row with who said yes, like its removal', async () => {
    at = await createGateFixture();
    at.answer(ask(ENROLL), 'approve');
    const last = () => at.database.auditTail(9).find(({ kind }) => kind === 'approver');
    expect(last()).toMatchObject({
      ...{ action: 'approver.enrolled', actor: 'ap-1', subject: 'ap-2' },
      details: { kind: 'passphrase', label: 'ap-2' },
    });
    at.answer(ask(remove('ap-1')), 'approve', 'once', 'ap-2');
    expect(last()).toMatchObject({ action: 'approver.removed', actor: 'ap-2', subject: 'ap-1' });
  });

  it('is another one with another key, kind or label, in the eyes of whoever answers', async () => {
    at = await createGateFixture();
    const changes: ApproverChange[] = [
      ...[{}, { id: 'ap-3' }, { kind: 'passkey' }, { publicKey: 'other' }, { label: 'other' }].map(
        (change): ApproverChange => ({ act: 'enroll', approver: { ...approverNamed('ap-2'), ...change } }),
      ),
      remove('ap-2'),
    ];
    expect(new Set(changes.map(ask)).size).toBe(changes.length);
  });

  it('is not enrolled by a question whose row was edited', async () => {
    at = await createGateFixture();
    const id = ask(ENROLL);
    const edited = JSON.stringify({ act: 'enroll', approver: { ...approverNamed('ap-9'), label: 'ap-2' } });
    at.database.withWriteTx((tx) => tx.prepare('UPDATE approval SET subject = ? WHERE id = ?').run(edited, id));
    expect(at.answer(id, 'approve')).toMatchObject({ decided: false, check: 'digest' });
    expect(enrolled()).toEqual(['ap-1']);
  });

  it('is not enrolled by a no', async () => {
    at = await createGateFixture();
    at.answer(ask(ENROLL), 'deny');
    expect(enrolled()).toEqual(['ap-1']);
  });

  it('is not enrolled twice, nor by the same yes under another label', async () => {
    at = await createGateFixture();
    const first = ask(ENROLL);
    const other = ask({ act: 'enroll', approver: { ...approverNamed('ap-2'), label: 'other' } });
    expect(other).not.toBe(first);
    at.answer(first, 'approve');
    expect(at.answer(other, 'approve')).toMatchObject({ decided: false, check: 'digest' });
  });

  it('does not come back after its removal', async () => {
    at = await createGateFixture();
    at.answer(ask(ENROLL), 'approve');
    at.answer(ask(remove('ap-2')), 'approve');
    expect(at.answer(ask(ENROLL), 'approve')).toMatchObject({ decided: false, check: 'digest' });
    expect(enrolled()).toEqual(['ap-1']);
  });
});

describe('the removal of an approver', () => {
  it('needs a yes, which may be their own, and ends what they can answer', async () => {
    at = await createGateFixture();
    const waiting = ask(ENROLL);
    const removal = ask(remove('ap-1'));
    expect(at.gate.approvals.get(removal)?.preview).toContain('where it is the last one: the host token alone');
    at.answer(removal, 'approve');
    expect(enrolled()).toEqual([]);
    expect(at.answer(waiting, 'approve')).toMatchObject({ decided: false, check: 'approver' });
  });

  it('is none of one who was removed meanwhile', async () => {
    at = await createGateFixture();
    at.answer(ask(ENROLL), 'approve');
    const [first, again] = [
      ask(remove('ap-2')),
      ask({ act: 'remove', approver: { id: 'ap-2', label: 'the same under another name' } }),
    ];
    at.answer(first, 'approve');
    expect(at.answer(again, 'approve')).toMatchObject({ decided: false, check: 'digest' });
    expect(at.answer(again, 'deny').decided).toBe(false);
  });

  it('is not what a question about the configuration is', async () => {
    at = await createGateFixture();
    const outcome = at.ask({ kind: 'policy', subject: { is: 'a configuration' } });
    const id = outcome.asked ? outcome.approval.id : '';
    expect(at.answer(id, 'approve')).toMatchObject({ decided: true });
    expect([at.settled, enrolled()]).toEqual([[`${id}: approved`], ['ap-1']]);
  });

  it('of one who is not there cannot be answered', async () => {
    at = await createGateFixture();
    expect(at.answer(ask(remove('ap-9')), 'approve')).toMatchObject({ decided: false, check: 'digest' });
  });
});

describe('a terminal that is taken for an approver', () => {
  it('enrols and removes like one', async () => {
    at = await createGateFixture({ policy: `${GATE_POLICY}[approvals]\nmode = "terminal"\n` });
    const approve = (id: string) => {
      const statement = at.gate.approvals.statement(id, { answer: 'approve', scope: 'once' });
      if (statement === undefined) throw new Error('gone');
      return at.gate.approvals.decide(id, { statement, proof: { kind: 'terminal' } });
    };
    expect(approve(ask(ENROLL))).toMatchObject({ decided: true, approval: { decidedBy: 'terminal' } });
    expect(approve(ask(remove('ap-1')))).toMatchObject({ decided: true });
    expect(enrolled()).toEqual(['ap-2']);
  });
});
