import { createSystemClock, silentLogger } from '@writ/core';
import { type Database, openDatabase, type ReadTx } from '@writ/database';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMirrorStore } from './mirror-store.ts';
import { createResultStore } from './result-store.ts';
import { createTaskStore } from './task-store.ts';

describe('queries that must stay flat among a million rows', () => {
  let database: Database;
  const tasks = createTaskStore();
  const mirrors = createMirrorStore();
  const results = createResultStore();
  beforeEach(async () => {
    database = await openDatabase({ path: ':memory:', clock: createSystemClock(), logger: silentLogger });
  });
  afterEach(() => database.close());

  /** How SQLite would run each statement that `fn` prepares. */
  function plansOf(fn: (tx: ReadTx) => unknown): string[] {
    const texts = new Set<string>();
    database.withReadTx((tx) =>
      fn({
        ...tx,
        prepare(sql) {
          texts.add(sql);
          return tx.prepare(sql);
        },
      }),
    );
    return database.withReadTx((tx) =>
      [...texts].flatMap((sql) => {
        const bound = Array.from(sql.matchAll(/\?/g), () => 1);
        const steps = tx.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...bound) as { detail: string }[];
        return steps.map((step) => step.detail);
      }),
    );
  }

  it.each<[string, (tx: ReadTx) => unknown]>([
    ['newest page', (tx) => tasks.list(tx, { limit: 20 })],
    ['page before a task', (tx) => tasks.list(tx, { limit: 20, before: 't' })],
    ['page of a sender', (tx) => tasks.list(tx, { limit: 20, sender: 'a' })],
    ['page of states', (tx) => tasks.list(tx, { limit: 20, states: ['running', 'failed'] })],
    ['page of a sender and states', (tx) => tasks.list(tx, { limit: 20, sender: 'a', states: ['running'] })],
    ['status', (tx) => tasks.get(tx, 't')],
    ['status by key', (tx) => tasks.findByKey(tx, 'a', 'k')],
    ['live tasks', (tx) => tasks.listLive(tx)],
    ['count of live tasks', (tx) => tasks.countLive(tx)],
    ['count of live mirrors', (tx) => mirrors.countLive(tx)],
    ['live tasks of a sender', (tx) => tasks.countLive(tx, 'a')],
    ['events', (tx) => tasks.events(tx, 't', 3, 20)],
    ['newest mirrors', (tx) => mirrors.list(tx, { limit: 20 })],
    ['mirrors of a peer', (tx) => mirrors.list(tx, { limit: 20, peer: 'b' })],
    ['mirrors of a session', (tx) => mirrors.list(tx, { limit: 20, session: 's' })],
    ['mirrors of a session and states', (tx) => mirrors.list(tx, { limit: 20, session: 's', states: ['running'] })],
    ['mirror by key', (tx) => mirrors.findByKey(tx, 's', 'k')],
    ['live mirrors', (tx) => mirrors.listLive(tx)],
    ['envelope', (tx) => results.envelope(tx, 'a')],
    ['receipt', (tx) => results.receipt(tx, 't')],
    ['delivery', (tx) => results.delivery(tx, 't')],
    ['receipts that are owed to a peer', (tx) => results.listUnacknowledged(tx, 'b', 20)],
    ['peers that are owed a receipt', (tx) => results.unacknowledgedPeers(tx)],
  ])('%s: walks an index and sorts nothing', (_, fn) => {
    const plans = plansOf(fn);
    expect(plans.length).toBeGreaterThan(0);
    // A scan is one of a partial index, which holds the live rows only.
    const bad = plans.filter(
      (plan) =>
        /TEMP B-TREE/.test(plan) ||
        (/^SCAN/.test(plan) && !/USING (COVERING )?INDEX \w+_(live|unacknowledged)/.test(plan)),
    );
    expect(bad).toEqual([]);
  });
});
