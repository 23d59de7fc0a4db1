import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './open.ts';
import { createHome, createStandingClock } from './testing/fixture.ts';
import type { Database } from './types.ts';

const HIGH_MS = 10_000_000;

describe('the time of a node', () => {
  const clock = createStandingClock(HIGH_MS);
  let home: ReturnType<typeof createHome>;
  let database: Database;
  const open = async (): Promise<void> => {
    database = await openDatabase({ path: join(home.path, 'writ.db'), clock, logger: silentLogger });
  };
  const write = (): { nowMs: number; backwards: boolean } =>
    database.withWriteTx((tx) => ({ nowMs: tx.nowMs, backwards: tx.clockIsBackwards }));
  beforeEach(async () => {
    clock.set(HIGH_MS);
    home = createHome();
    await open();
    write();
  });
  afterEach(() => {
    database.close();
    home.remove();
  });

  it('never runs backwards, across a restart too', async () => {
    clock.set(HIGH_MS - 5000);
    expect(write().nowMs).toBe(HIGH_MS);
    database.close();
    await open();
    expect(write().nowMs).toBe(HIGH_MS);
    expect(database.nowMs()).toBe(HIGH_MS);
    clock.set(HIGH_MS + 1);
    expect(write().nowMs).toBe(HIGH_MS + 1);
  });

  it('is untrusted once the wall clock is more than 60 s below it', () => {
    clock.set(HIGH_MS - 60_000);
    expect([database.clockIsBackwards(), write().backwards]).toEqual([false, false]);
    clock.set(HIGH_MS - 60_001);
    expect([database.clockIsBackwards(), write().backwards]).toEqual([true, true]);
  });

  it('is persisted by an audit row, and not by a transaction that did not look at it', async () => {
    clock.set(HIGH_MS + 1000);
    database.withWriteTx(() => {});
    clock.set(HIGH_MS + 500);
    expect(database.nowMs()).toBe(HIGH_MS + 500);
    database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' }));
    clock.set(0);
    expect(database.nowMs()).toBe(HIGH_MS + 500);
  });

  it('is lowered only by accepting the clock, in the transaction that ends the rights', async () => {
    clock.set(1000);
    expect(() =>
      database.acceptClock(() => {
        throw new Error('rights stay');
      }),
    ).toThrow('rights stay');
    expect(database.clockIsBackwards()).toBe(true);
    let seen = 0;
    database.acceptClock((tx) => {
      seen = tx.nowMs;
    });
    expect(seen).toBe(HIGH_MS);
    expect([database.clockIsBackwards(), database.nowMs()]).toEqual([false, 1000]);
    expect(database.auditTail(1)[0]?.action).toBe('clock.accepted');
    database.close();
    await open();
    expect(database.nowMs()).toBe(1000);
  });
});
