import { countColumn, fieldsOf, jsonColumn, type ReadTx, type RowShape, readRow, readRows } from '@writ/database';
import { z } from 'zod';
import type { Delivery, ResultStore } from './types.ts';

const DELIVERY: RowShape<Delivery> = {
  table: 'delivery',
  key: 'task',
  shape: z.object(
    fieldsOf<Delivery>()({
      task: z.string(),
      peer: z.string(),
      result: z.string(),
      standing: jsonColumn(z.union([z.literal('pinned'), z.object({ vouchedBy: z.string() })])),
      receivedAtMs: countColumn,
      acknowledgedAtMs: countColumn.optional(),
      refusedAtMs: countColumn.optional(),
    }),
  ),
};

const DELIVERY_COLUMNS = `mirror AS task, peer, result, standing, received_at_ms AS receivedAtMs,
  acknowledged_at_ms AS acknowledgedAtMs, refused_at_ms AS refusedAtMs`;
const PUT_ENVELOPE = 'INSERT INTO envelope (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING';
const GET_ENVELOPE = 'SELECT bytes FROM envelope WHERE sha256 = ?';
const PUT_RECEIPT = 'INSERT INTO receipt (task, result, bytes, at_ms) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
const GET_RECEIPT = 'SELECT result, bytes, at_ms AS atMs FROM receipt WHERE task = ?';
const PUT_DELIVERY = `INSERT INTO delivery (mirror, peer, result, standing, received_at_ms) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
const GET_DELIVERY = `SELECT ${DELIVERY_COLUMNS} FROM delivery WHERE mirror = ?`;
const LIST_UNACKNOWLEDGED = `SELECT ${DELIVERY_COLUMNS} FROM delivery WHERE peer = ? AND acknowledged_at_ms IS NULL
  AND refused_at_ms IS NULL ORDER BY received_at_ms LIMIT ?`;
const UNACKNOWLEDGED_PEERS = `SELECT DISTINCT peer FROM delivery
  WHERE acknowledged_at_ms IS NULL AND refused_at_ms IS NULL`;
const SET_REFUSED = 'UPDATE delivery SET refused_at_ms = ? WHERE mirror = ? AND acknowledged_at_ms IS NULL';
const SET_ACKNOWLEDGED = 'UPDATE delivery SET acknowledged_at_ms = ? WHERE mirror = ? AND acknowledged_at_ms IS NULL';

/** Signed results and receipts in SQLite. */
export function createResultStore(): ResultStore {
  return {
    putEnvelope(tx, sha256, bytes) {
      tx.prepare(PUT_ENVELOPE).run(sha256, bytes);
    },
    envelope(tx, sha256) {
      const row = tx.prepare(GET_ENVELOPE).get(sha256) as { readonly bytes: Uint8Array } | undefined;
      return row?.bytes;
    },
    putReceipt: (tx, { task, result, bytes }) =>
      tx.prepare(PUT_RECEIPT).run(task, result, bytes, tx.nowMs).changes === 1,
    receipt: (tx, task) => tx.prepare(GET_RECEIPT).get(task) as ReturnType<ResultStore['receipt']>,
    putDelivery(tx, { task, peer, result, standing }) {
      tx.prepare(PUT_DELIVERY).run(task, peer, result, JSON.stringify(standing), tx.nowMs);
    },
    delivery: (tx: ReadTx, task) => readRow(tx, tx.prepare(GET_DELIVERY).get(task), DELIVERY),
    listUnacknowledged: (tx, peer, limit) => readRows(tx, tx.prepare(LIST_UNACKNOWLEDGED).all(peer, limit), DELIVERY),
    unacknowledgedPeers: (tx) =>
      (tx.prepare(UNACKNOWLEDGED_PEERS).all() as { readonly peer: string }[]).map(({ peer }) => peer),
    setAcknowledged(tx, tasks) {
      for (const task of tasks) tx.prepare(SET_ACKNOWLEDGED).run(tx.nowMs, task);
    },
    setRefused(tx, task) {
      tx.prepare(SET_REFUSED).run(tx.nowMs, task);
    },
  };
}
