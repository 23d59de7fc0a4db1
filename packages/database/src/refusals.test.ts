import { silentLogger } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './open.ts';
import { createStandingClock } from './testing/fixture.ts';
import type { AuditEntry, Database } from './types.ts';

const START_MS = 5_000_000;
const refused = (change: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ kind: 'execution', action: 'execution.refused', actor: 'wn-p1', details: { code: 'LIMIT_EXCEEDED' } },
  ...change,
});

describe('refusals in the audit trail', () => {
  const clock = createStandingClock(START_MS);
  let database: Database;
  beforeEach(async () => {
    clock.set(START_MS);
    database = await openDatabase({ path: ':memory:', clock, logger: silentLogger });
  });
  afterEach(() => database.close());
  const write = (entry: AuditEntry, times = 1): void => {
    for (let at = 0; at < times; at += 1) database.withWriteTx((tx) => tx.audit(entry));
  };
  const settle = (): void => database.withWriteTx((tx) => tx.settleRefusals());
  const rows = () => database.auditAfter(0, 999);

  it('have a row each while they are few, and are counted beyond: none is lost', () => {
    write(refused(), 1000);
    expect(rows()).toHaveLength(4);
    settle();
    expect(rows()).toHaveLength(4);
    clock.set(START_MS + 59_999);
    write(refused());
    clock.set(START_MS + 60_000);
    settle();
    expect(rows()).toHaveLength(5);
    expect(database.auditTail(1)).toEqual([
      {
        ...{ seq: 5, atMs: START_MS + 60_000, kind: 'execution', action: 'execution.refused', actor: 'wn-p1' },
        details: { code: 'LIMIT_EXCEEDED', more: 997, sinceMs: START_MS, untilMs: START_MS + 59_999 },
      },
    ]);
    settle();
    expect(rows()).toHaveLength(5);
  });

  it('are counted up before the next one of their kind, where nobody has settled them', () => {
    write(refused(), 6);
    clock.set(START_MS + 90_000);
    write(refused());
    expect(rows().map(({ details }) => details?.more)).toEqual([...Array(4), 2, undefined]);
    clock.set(START_MS + 150_000);
    settle();
    expect(rows()).toHaveLength(6);
  });

  it('are told apart by who was refused, what, with which code, and for which task', () => {
    write(refused(), 9);
    write(refused({ actor: 'wn-p2' }));
    write(refused({ details: { code: 'BAD_REQUEST' } }));
    write(refused({ details: { code: 'LIMIT_EXCEEDED', task: 't1' } }));
    write(refused({ kind: 'approval', action: 'approval.not-asked' }));
    expect(rows()).toHaveLength(8);
    const reply = { kind: 'task', action: 'task.reply-refused' } as const;
    for (const subject of ['t1', 't2']) write(refused({ ...reply, subject }), 5);
    clock.set(START_MS + 60_000);
    settle();
    const counts = rows().filter(({ details }) => details?.more !== undefined);
    expect(counts.map(({ action, subject, details }) => [action, subject, details?.more])).toEqual([
      ['execution.refused', undefined, 5],
      ['task.reply-refused', 't1', 1],
      ['task.reply-refused', 't2', 1],
    ]);
    expect(database.auditOfTasks(['t1'], 0, 99)).toHaveLength(6);
  });

  it('take nothing of what is no refusal, and nothing of a transaction that fails', () => {
    write({ kind: 'execution', action: 'execution.proposed', actor: 'self' }, 9);
    expect(rows()).toHaveLength(9);
    write(refused(), 4);
    expect(() =>
      database.withWriteTx((tx) => {
        tx.audit(refused());
        throw new Error('rolled back');
      }),
    ).toThrow('rolled back');
    clock.set(START_MS + 60_000);
    settle();
    expect(rows()).toHaveLength(13);
  });

  it('tell nobody of a row while they are only counted', () => {
    write(refused(), 4);
    let told = 0;
    database.onAudit(() => {
      told += 1;
    });
    write(refused(), 4);
    expect(told).toBe(0);
    clock.set(START_MS + 60_000);
    settle();
    expect(told).toBe(1);
  });
});
