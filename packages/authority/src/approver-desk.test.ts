import { afterEach, describe, expect, it } from 'vitest';
import { approverNamed, createGateFixture, GATE_POLICY, type GateFixture } from './testing/gate-fixture.ts';

const TERMINAL_POLICY = GATE_POLICY.replace('[node]', '[approvals]\nmode = "terminal"\n[node]');

let at: GateFixture;
afterEach(() => at.close());

const enroll = (id: string, by?: string): void =>
  at.database.withWriteTx((tx) => at.gate.approvers.enroll(tx, approverNamed(id), by));
const remove = (id: string, by: string): boolean =>
  at.database.withWriteTx((tx) => at.gate.approvers.remove(tx, id, by));
const enrolled = (): readonly string[] => at.gate.approvers.list().map(({ id }) => id);
const refusal = (what: string) =>
  expect.objectContaining({
    ...{ code: 'NOT_APPROVER', message: `an approver of this node has to say yes to ${what}` },
    nextSteps: ['ask that person'],
  });

describe('who answers on a node', () => {
  it('is enrolled first by the person who is there, and then by who is enrolled', async () => {
    at = await createGateFixture({ alone: true });
    enroll('ap-1');
    expect(at.database.auditTail(1)).toMatchObject([{ action: 'approver.enrolled', actor: 'person', subject: 'ap-1' }]);
    for (const by of [undefined, 'ap-2', 'terminal'])
      expect(() => enroll('ap-2', by)).toThrow(refusal('another approver'));
    enroll('ap-2', 'ap-1');
    expect(at.database.auditTail(1)).toMatchObject([{ actor: 'ap-1', details: { kind: 'passphrase', label: 'ap-2' } }]);
    expect(enrolled()).toEqual(['ap-1', 'ap-2']);
  });

  it('is not enrolled twice with one key', async () => {
    at = await createGateFixture();
    expect(() => enroll('ap-1', 'ap-1')).toThrow(
      expect.objectContaining({
        ...{ code: 'CONFLICT', message: 'the key `ap-1` was enrolled before' },
        nextSteps: ['enrol with a new key'],
      }),
    );
    enroll('ap-2', 'ap-1');
    expect(remove('ap-2', 'ap-1')).toBe(true);
    expect(() => enroll('ap-2', 'ap-1')).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  });

  it('is removed by one who is there, once, and does not come back by its own word', async () => {
    at = await createGateFixture();
    enroll('ap-2', 'ap-1');
    for (const by of ['ap-3', 'terminal']) expect(() => remove('ap-2', by)).toThrow(refusal('the removal of one'));
    expect([remove('none', 'ap-1'), remove('ap-2', 'ap-1'), remove('ap-2', 'ap-1')]).toEqual([false, true, false]);
    expect(at.database.auditTail(1)).toMatchObject([{ action: 'approver.removed', actor: 'ap-1', subject: 'ap-2' }]);
    expect(() => enroll('ap-3', 'ap-2')).toThrow(refusal('another approver'));
    expect(enrolled()).toEqual(['ap-1']);
  });

  it('may be the terminal where the configuration says so, and nobody else who is not enrolled', async () => {
    at = await createGateFixture({ policy: TERMINAL_POLICY });
    expect(() => enroll('ap-2', 'ap-2')).toThrow(refusal('another approver'));
    enroll('ap-2', 'terminal');
    expect(remove('ap-1', 'terminal')).toBe(true);
    expect(enrolled()).toEqual(['ap-2']);
  });
});
