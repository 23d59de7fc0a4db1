import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTaskTrail } from './audit.ts';
import { TASK_OF_ROW } from './migrations/0008-rows-of-a-task.ts';
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

  it('finds the rows of tasks by the task, whatever stands between them, and reads no other', () => {
    const add = (task: string, n: number): void =>
      database.withWriteTx((tx) => {
        tx.audit({ kind: 'node', action: 'node.started', actor: 'node', subject: task });
        tx.audit({ kind: 'task', action: 'task.queued', actor: 'node', subject: task, details: { n } });
        tx.audit({ kind: 'approval', action: 'approval.requested', actor: 'node', details: { task, n } });
        tx.audit({ kind: 'approval', action: 'approval.requested', actor: 'node', details: { task: null, n } });
        tx.prepare(`INSERT INTO audit (at_ms, kind, action, actor, details) VALUES (0, 'x', 'x', 'x', '{"task')`).run();
      });
    ['a', 'b', 'a', 'c'].forEach(add);
    const read = (...[tasks, skip, limit]: Parameters<Database['auditOfTasks']>) =>
      database.auditOfTasks(tasks, skip, limit).map(({ kind, details }) => [kind, details?.n]);
    expect(read(['a'], 0, 9)).toEqual([
      ['task', 0],
      ['approval', 0],
      ['task', 2],
      ['approval', 2],
    ]);
    expect(read(['c', 'a'], 3, 2)).toEqual([
      ['approval', 2],
      ['task', 3],
    ]);
    expect(database.auditCountOfTasks(['c', 'a'])).toBe(6);
    expect(database.auditCountOfTasks([])).toBe(0);
  });

  it.each([
    [`SELECT * FROM audit WHERE ${TASK_OF_ROW} IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT ? OFFSET ?`],
    [`SELECT count(*) AS seq FROM audit WHERE ${TASK_OF_ROW} IN (SELECT value FROM json_each(?))`],
  ])('looks through the rows of a task by an index: %s', (statement) => {
    const spied: string[] = [];
    const trail = createTaskTrail((text) => {
      spied.push(text);
      return database.withReadTx((tx) => tx.prepare(text));
    });
    trail.auditOfTasks(['a'], 0, 1);
    trail.auditCountOfTasks(['a']);
    expect(spied).toContain(statement);
    const bound = Array.from(statement.matchAll(/\?/g), () => '[]');
    const plan = database.withReadTx((tx) => tx.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(...bound));
    const steps = (plan as { detail: string }[]).map(({ detail }) => detail);
    expect(steps).toContainEqual(expect.stringMatching(/^SEARCH audit USING .*audit_by_task/));
    expect(steps.filter((step) => /^SCAN audit/.test(step))).toEqual([]);
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
