import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './open.ts';
import { createHome, createStandingClock } from './testing/fixture.ts';
import type { Database } from './types.ts';

describe('the audit trail', () => {
  let home: ReturnType<typeof createHome>;
  let database: Database;
  let path: string;
  beforeEach(async () => {
    home = createHome();
    path = join(home.path, 'writ.db');
    database = await openDatabase({ path, clock: createStandingClock(7000), logger: silentLogger });
    database.withWriteTx((tx) => {
      tx.audit({
        kind: 'lease',
        action: 'lease.granted',
        actor: 'person',
        subject: 'l1',
        details: { uses: [1, null] },
      });
      tx.audit({ kind: 'node', action: 'node.started', actor: 'node' });
    });
  });
  afterEach(() => {
    database.close();
    home.remove();
  });

  it('gives its rows newest first, with details and time', () => {
    expect(database.auditTail(5)).toEqual([
      { seq: 2, atMs: 7000, kind: 'node', action: 'node.started', actor: 'node' },
      {
        seq: 1,
        atMs: 7000,
        kind: 'lease',
        action: 'lease.granted',
        actor: 'person',
        subject: 'l1',
        details: { uses: [1, null] },
      },
    ]);
    expect(database.auditTail(1).map((row) => row.seq)).toEqual([2]);
  });

  it('is read onwards from a row, in the order of the commits and without holes', () => {
    expect(() =>
      database.withWriteTx((tx) => {
        tx.audit({ kind: 'node', action: 'node.stopping', actor: 'node' });
        throw new Error('rolled back');
      }),
    ).toThrow('rolled back');
    for (const action of ['node.stopping', 'clock.accepted'] as const) {
      database.withWriteTx((tx) => tx.audit({ kind: 'node', action, actor: 'node' }));
    }
    const seen = database.auditAfter(1, 2).map(({ seq, action }) => [seq, action]);
    expect(seen).toEqual([
      [2, 'node.started'],
      [3, 'node.stopping'],
    ]);
    expect(database.auditAfter(3, 9).map(({ action }) => action)).toEqual(['clock.accepted']);
    expect(database.auditEnd()).toBe(4);
    expect(database.auditAfter(4, 9)).toEqual([]);
  });

  it('tells who listens after each commit that wrote rows, and of nothing else', () => {
    const ends: number[] = [];
    const stop = database.onAudit(() => ends.push(database.auditEnd()));
    database.withWriteTx((tx) => {
      tx.audit({ kind: 'node', action: 'node.started', actor: 'node' });
      tx.audit({ kind: 'node', action: 'node.stopping', actor: 'node' });
    });
    database.withWriteTx(() => undefined);
    expect(() =>
      database.withWriteTx((tx) => {
        tx.audit({ kind: 'node', action: 'node.stopping', actor: 'node' });
        throw new Error('rolled back');
      }),
    ).toThrow('rolled back');
    expect(ends).toEqual([4]);
    stop();
    database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' }));
    expect(ends).toEqual([4]);
  });

  it.each([
    ['changed', `UPDATE audit SET actor = 'nobody'`],
    ['deleted', 'DELETE FROM audit WHERE seq = 1'],
    ['replaced', `REPLACE INTO audit (seq, at_ms, kind, action, actor) VALUES (1, 0, 'x', 'x', 'x')`],
    [
      'upserted',
      `INSERT INTO audit (seq, at_ms, kind, action, actor) VALUES (1, 0, 'x', 'x', 'x')
      ON CONFLICT DO UPDATE SET actor = 'x'`,
    ],
  ])('cannot be %s, by another connection either', (_, statement) => {
    const before = database.auditTail(5);
    expect(() => database.withWriteTx((tx) => tx.prepare(statement).run())).toThrow(/append-only/);
    const other = new BetterSqlite3(path);
    expect(() => other.exec(statement)).toThrow(/append-only/);
    other.close();
    expect(database.auditTail(5)).toEqual(before);
  });
});
