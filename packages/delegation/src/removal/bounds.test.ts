import type { Database } from '@writ/database';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { createScriptedRunner, createTestNode, servesAlpha, type TestNode } from '@writ/testkit/delegation';
import { passUntil } from '@writ/testkit/passing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBenchRemoval, KEEP_MS } from '../testing/removal-bench.ts';

/** Rows that one transaction of a sweep may change: more would keep the node's other work waiting. */
const MOST_ROWS = 1500;
const EVENTS = 3000;
const NAMES = 2000;

let clock: FakeClock;
let node: TestNode;
let most: number;
let transactions: number;
let counts: boolean;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  counts = false;
  most = 0;
  transactions = 0;
  const policy = servesAlpha();
  node = await createTestNode({ clock, policy, runner: createScriptedRunner({ clock }), inMemory: true, wrapDatabase });
});
afterEach(() => node.close());

/** Counts the rows that each write transaction changes. */
function wrapDatabase(real: Database): Database {
  return {
    ...real,
    withWriteTx: (fn) =>
      real.withWriteTx((tx) => {
        const rows = (): number => Number(tx.prepare('SELECT total_changes()').pluck().get());
        const before = rows();
        const result = fn(tx);
        if (counts) {
          most = Math.max(most, rows() - before);
          transactions += 1;
        }
        return result;
      }),
  };
}

/** Ended tasks with their receipts, with so many events each, and results that name so many files. */
function store(count: number, events: number, names: number): void {
  node.database.withWriteTx((tx) => {
    const task =
      tx.prepare(`INSERT INTO task (id, sender, origin, session, agent, chain, idempotency_key, request_digest, spec, bounds,
      granted, state, epoch, last_seq, created_at_ms, outcome, ended_at_ms, version)
      VALUES (?, 'gone', 'o', 's', 'a', '[]', ?, '', '{}', '{}', '{}', 'completed', 1, ?, 1, ?, 1, 1)`);
    const event = tx.prepare(`INSERT INTO task_event (task_n, seq, at_ms, epoch, body) VALUES (?, ?, 1, 1, '{}')`);
    const named = tx.prepare('INSERT INTO evidence_name (sha256, named_by) VALUES (?, ?)');
    const envelope = tx.prepare(`INSERT INTO envelope (sha256, bytes, task) VALUES (?, x'00', ?)`);
    for (let i = 0; i < count; i++) {
      const id = `t${events}-${i}`;
      const result = digest(`${events}${i}`, 'a');
      const { lastInsertRowid } = task.run(id, id, events, JSON.stringify({ result }));
      for (let seq = 1; seq <= events; seq++) event.run(lastInsertRowid, seq);
      for (let name = 0; name < names; name++) named.run(digest(String(name), 'b'), result);
      envelope.run(result, id);
    }
  });
}

const digest = (text: string, filler: string): string => text.padStart(64, filler).slice(-64);

async function sweep(meanwhile: () => void = () => {}): Promise<void> {
  const removal = createBenchRemoval(node, { clock, runner: createScriptedRunner({ clock }) }, { peers: () => [] });
  let isOver = false;
  const sweeping = removal.sweep().finally(() => {
    isOver = true;
  });
  const looks = (): boolean => {
    if (!isOver) meanwhile();
    return isOver;
  };
  await passUntil(clock, looks, 20);
  await sweeping;
  await removal.close();
}

describe('a sweep', () => {
  it('changes some hundred rows in one transaction, however many are due and however large one is', async () => {
    store(150, 3, 1);
    store(1, EVENTS, NAMES);
    clock.advance(KEEP_MS + 1);
    counts = true;
    await sweep();
    counts = false;
    const left = node.database.withReadTx((tx) =>
      ['task', 'task_event', 'envelope', 'evidence_name', 'leftover'].map((table) =>
        Number(tx.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get()),
      ),
    );
    expect(left).toEqual([0, 0, 0, 0, 0]);
    expect(most).toBeLessThanOrEqual(MOST_ROWS);
    expect(transactions).toBeGreaterThan(EVENTS / 500);
  });

  it('clears what is old although tasks end all the time', async () => {
    store(150, 3, 1);
    clock.advance(KEEP_MS + 1);
    let [looks, ended] = [0, 0];
    await sweep(() => {
      looks += 1;
      // A part of what could be read meanwhile.
      if (looks % 4 !== 0) return;
      ended += 1;
      node.database.withWriteTx((tx) =>
        node.evidence.results.putEnvelope(tx, digest(String(ended), 'c'), Buffer.from('{}')),
      );
    });
    const old = node.database.withReadTx((tx) => [
      tx.prepare(`SELECT COUNT(*) FROM envelope WHERE task <> ''`).pluck().get(),
      tx.prepare('SELECT COUNT(*) FROM leftover').pluck().get(),
    ]);
    expect(ended).toBeGreaterThan(2);
    expect(old).toEqual([0, 0]);
  });

  it('removes nothing while the clock stands back', async () => {
    store(3, 1, 0);
    clock.advance(KEEP_MS + 1);
    node.database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' }));
    clock.jump(-3_600_000);
    await sweep();
    const count = (): number =>
      node.database.withReadTx((tx) => Number(tx.prepare('SELECT COUNT(*) FROM task').pluck().get()));
    expect(count()).toBe(3);
    clock.jump(3_600_000);
    await sweep();
    expect(count()).toBe(0);
  });
});
