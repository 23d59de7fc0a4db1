import { isWritError } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './open.ts';
import { createErrorLog, createStandingClock } from './testing/fixture.ts';
import type { Database, ReadTx, WriteTx } from './types.ts';

const PUT = 'INSERT INTO node_fact (key, value) VALUES (?, ?)';
const GET = 'SELECT value FROM node_fact WHERE key = ?';
const fact = (tx: ReadTx, key: string): unknown => tx.prepare(GET).get(key);

describe('transactions', () => {
  const clock = createStandingClock(5_000_000);
  let logger: ReturnType<typeof createErrorLog>;
  let database: Database;
  beforeEach(async () => {
    clock.set(5_000_000);
    logger = createErrorLog();
    database = await openDatabase({ path: ':memory:', clock, logger });
  });
  afterEach(() => database.close());

  it('keep what a write transaction wrote, then run its hooks in order', () => {
    const seen: unknown[] = [];
    const result = database.withWriteTx((tx) => {
      tx.prepare(PUT).run('a', '1');
      tx.afterCommit(() => seen.push(database.withReadTx((read) => fact(read, 'a'))));
      tx.afterCommit(() => seen.push('second'));
      return 'done';
    });
    expect(result).toBe('done');
    expect(seen).toEqual([{ value: '1' }, 'second']);
  });

  it('keep nothing of one that throws: no row, no audit, no hook, no time', () => {
    let ran = false;
    const fail = (): void =>
      database.withWriteTx((tx) => {
        tx.prepare(PUT).run('a', '1');
        tx.audit({ kind: 'node', action: 'node.started', actor: 'node' });
        tx.afterCommit(() => {
          ran = true;
        });
        throw new Error('no');
      });
    expect(fail).toThrow('no');
    expect(ran).toBe(false);
    expect(database.auditTail(10)).toEqual([]);
    clock.set(1000);
    expect(database.nowMs()).toBe(1000);
    expect(database.withReadTx((tx) => fact(tx, 'a'))).toBeUndefined();
  });

  it('go on after a hook that throws, and log it', () => {
    let ran = false;
    database.withWriteTx((tx) => {
      tx.afterCommit(() => {
        throw new Error('hook');
      });
      tx.afterCommit(() => {
        ran = true;
      });
    });
    expect(ran).toBe(true);
    expect(logger.errors.map((line) => line.fields?.error)).toEqual(['hook']);
  });

  it('refuse to nest, and the outer one goes on', () => {
    database.withWriteTx((tx) => {
      expect(() => database.withWriteTx(() => {})).toThrow(/inside another/);
      expect(() => database.withReadTx(() => {})).toThrow(/inside another/);
      tx.prepare(PUT).run('a', '1');
    });
    expect(database.withReadTx((tx) => fact(tx, 'a'))).toEqual({ value: '1' });
  });

  it('refuse a callback that awaits, and keep nothing of it', async () => {
    const write = async (tx: WriteTx): Promise<void> => {
      tx.prepare(PUT).run('a', '1');
      await Promise.resolve();
      tx.prepare(PUT).run('b', '2');
    };
    expect(() => database.withWriteTx(write)).toThrow(/synchronous/);
    expect(() => database.withReadTx(async () => 1)).toThrow(/synchronous/);
    await Promise.resolve();
    expect(database.withReadTx((tx) => [fact(tx, 'a'), fact(tx, 'b')])).toEqual([undefined, undefined]);
  });

  it('are of no use after their end', () => {
    const tx = database.withWriteTx((open) => open);
    expect(() => tx.prepare(PUT)).toThrow(/after its end/);
    expect(() => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' })).toThrow(/after its end/);
    const read = database.withReadTx((open) => open);
    expect(() => read.prepare(GET)).toThrow(/after its end/);
  });

  it('do not write when they only read', () => {
    expect(() => database.withReadTx((tx) => tx.prepare(PUT).run('a', '1'))).toThrow(/asked to write/);
  });

  it('turn what SQLite refuses into DATABASE_ERROR', () => {
    const twice = (): void =>
      database.withWriteTx((tx) => {
        tx.prepare(PUT).run('a', '1');
        tx.prepare(PUT).run('a', '1');
      });
    let error: unknown;
    try {
      twice();
    } catch (thrown) {
      error = thrown;
    }
    expect(isWritError(error, 'DATABASE_ERROR') && error.details.sqlite).toBe('SQLITE_CONSTRAINT_PRIMARYKEY');
  });

  it('prepare a text once', () => {
    const [first, second] = [1, 2].map(() => database.withReadTx((tx) => tx.prepare(GET)));
    expect(first).toBe(second);
  });

  it('report an unreadable row once, in the log and in the audit trail', () => {
    const row = { table: 'lease', key: 'l1', reason: 'broken', raw: { id: 'l1' } };
    database.withReadTx((tx) => tx.quarantine(row));
    database.withReadTx((tx) => tx.quarantine(row));
    expect(() =>
      database.withWriteTx(() => {
        throw new Error('rolled back');
      }),
    ).toThrow();
    database.withWriteTx(() => {});
    database.withWriteTx(() => {});
    expect(database.quarantined()).toEqual([row]);
    expect(logger.errors).toHaveLength(1);
    expect(database.auditTail(10).map((entry) => [entry.action, entry.subject])).toEqual([
      ['row.quarantined', 'lease/l1'],
    ]);
  });
});

describe('kysely', () => {
  it('reads, also while nothing else is going on', async () => {
    const database = await openDatabase({ path: ':memory:', clock: createStandingClock(1), logger: createErrorLog() });
    database.withWriteTx((tx) => tx.prepare(PUT).run('a', '1'));
    expect(await database.kysely.selectFrom('node_fact').selectAll().execute()).toEqual([{ key: 'a', value: '1' }]);
    database.close();
  });

  it('is refused writes, transactions and streams, which would stay open under the next write transaction', async () => {
    const database = await openDatabase({ path: ':memory:', clock: createStandingClock(1), logger: createErrorLog() });
    const insert = database.kysely.insertInto('node_fact').values({ key: 'a', value: '1' });
    await expect(insert.execute()).rejects.toThrow(/only reads/);
    await expect(database.kysely.transaction().execute(async () => {})).rejects.toThrow(/only reads/);
    await expect(database.kysely.selectFrom('node_fact').selectAll().stream().next()).rejects.toThrow(/page/);
    database.withWriteTx((tx) => tx.prepare(PUT).run('a', '1'));
    database.close();
  });
});
