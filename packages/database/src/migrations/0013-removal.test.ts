import { join } from 'node:path';
import { createSystemClock, silentLogger } from '@writ/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../open.ts';
import { createHome, createStandingClock, fillEarlier } from '../testing/fixture.ts';
import type { WriteTx } from '../types.ts';

const CREATED_MS = 1000;
/** Later than any time at which this test runs. */
const FAR_MS = 9_000_000_000_000;

let home: ReturnType<typeof createHome>;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

function storeTask(tx: Pick<WriteTx, 'prepare'>, id: string, state: string, outcome: string | null): void {
  tx.prepare(`INSERT INTO task (id, sender, origin, session, agent, chain, idempotency_key, request_digest, spec, bounds, granted,
    state, epoch, last_seq, created_at_ms, outcome, version)
    VALUES (?, 'self', 'o', 's', 'a', '[]', ?, '', '{}', '{}', '{}', ?, 1, 1, ?, ?, 1)`).run(
    ...[id, id, state, CREATED_MS, outcome],
  );
}

function storeMirror(
  tx: Pick<WriteTx, 'prepare'>,
  id: string,
  state: string,
  outcome: string | null,
  spec = '{}',
): void {
  tx.prepare(`INSERT INTO mirror (id, peer, peer_label, session, agent, idempotency_key, spec, state, cursor, created_at_ms,
    unreachable, accepted, outcome, version) VALUES (?, 'p', 'p', 's', 'a', ?, ?, ?, 1, ?, 0, 1, ?, 1)`).run(
    ...[id, id, spec, state, CREATED_MS, outcome],
  );
}

it('keeps what ended before the upgrade from the upgrade on, whatever is known of its end', async () => {
  const options = { path: join(home.path, 'writ.db'), clock: createStandingClock(1), logger: silentLogger };
  await fillEarlier(options.path, '0013', (tx) => {
    storeTask(tx, 'ended', 'completed', '{"endedAtMs":5000}');
    storeTask(tx, 'live', 'running', null);
    storeTask(tx, 'torn', 'failed', '{');
    storeMirror(tx, 'ended', 'completed', '{"endedAtMs":5000}');
    storeMirror(tx, 'late', 'lost', '{"endedAtMs":5000}');
    storeMirror(tx, 'live', 'running', null);
    storeMirror(tx, 'of tomorrow', 'completed', `{"endedAtMs":${FAR_MS}}`);
    storeMirror(tx, 'torn', 'failed', '{', '{');
    tx.prepare(
      `INSERT INTO delivery (mirror, peer, result, standing, received_at_ms) VALUES ('late', 'p', 'r', '"pinned"', ?)`,
    ).run(FAR_MS - 1);
    for (const part of ['task', 'mirror']) {
      tx.prepare(`INSERT INTO ${part}_event SELECT n, 1, 2, 3, id FROM ${part} WHERE id = 'ended'`).run();
    }
  });
  const clock = createSystemClock();
  // SQLite's clock has whole seconds.
  const beforeMs = Math.floor(clock.nowMs() / 1000) * 1000;
  const database = await openDatabase(options);
  const afterMs = clock.nowMs();
  const ends = (table: string): unknown =>
    Object.fromEntries(
      database.withReadTx((tx) => tx.prepare(`SELECT id, ended_at_ms FROM ${table}`).raw().all()) as [string, number][],
    );
  const [tasks, mirrors] = [ends('task'), ends('mirror')];
  const events = database.withReadTx((tx) =>
    ['task', 'mirror'].map((part) =>
      tx
        .prepare(`SELECT e.seq, e.at_ms, e.epoch, e.body FROM ${part}_event e JOIN ${part} ON n = ${part}_n`)
        .raw()
        .all(),
    ),
  );
  database.close();
  expect(events).toEqual([[[1, 2, 3, 'ended']], [[1, 2, 3, 'ended']]]);
  const upgrade: unknown = expect.toSatisfy((ms: number) => ms >= beforeMs && ms <= afterMs);
  expect(tasks).toEqual({ ended: upgrade, live: null, torn: upgrade });
  expect(mirrors).toEqual({ ended: upgrade, late: FAR_MS - 1, live: null, 'of tomorrow': upgrade, torn: upgrade });
});

it('leaves no foreign key: what belongs to a task goes after it, some hundred rows at a time', async () => {
  const database = await openDatabase({
    ...{ path: join(home.path, 'writ.db'), clock: createStandingClock(1), logger: silentLogger },
  });
  const pointing = database.withReadTx((tx) =>
    tx.prepare(`SELECT m.name FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) WHERE m.type = 'table'`).all(),
  );
  database.close();
  expect(pointing).toEqual([]);
});
