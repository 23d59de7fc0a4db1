import { countColumn, fieldsOf, type RowShape, readRow, readRows } from '@writ/database';
import { z } from 'zod';
import type { Approver, ApproverStore } from './approver-types.ts';

const SHAPE: RowShape<Approver> = {
  table: 'approver',
  key: 'id',
  shape: z.object(
    fieldsOf<Approver>()({
      id: z.string().min(1),
      kind: z.string().min(1),
      publicKey: z.string().min(1),
      label: z.string(),
      enrolledAtMs: countColumn,
      removedAtMs: countColumn.optional(),
    }),
  ),
};

const COLUMNS = `id, kind, public_key AS publicKey, label, enrolled_at_ms AS enrolledAtMs, removed_at_ms AS removedAtMs`;

const INSERT = `INSERT INTO approver (id, kind, public_key, label, enrolled_at_ms) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
const GET = `SELECT ${COLUMNS} FROM approver WHERE id = ?`;
const LIST = `SELECT ${COLUMNS} FROM approver WHERE removed_at_ms IS NULL ORDER BY enrolled_at_ms, id`;
const REMOVE = 'UPDATE approver SET removed_at_ms = ? WHERE id = ? AND removed_at_ms IS NULL';

/** Approvers in SQLite. */
export function createApproverStore(): ApproverStore {
  return {
    enroll: (tx, { id, kind, publicKey, label }) =>
      tx.prepare(INSERT).run(id, kind, publicKey, label, tx.nowMs).changes === 1,
    get: (tx, id) => readRow(tx, tx.prepare(GET).get(id), SHAPE),
    listActive: (tx) => readRows(tx, tx.prepare(LIST).all(), SHAPE),
    remove: (tx, id) => tx.prepare(REMOVE).run(tx.nowMs, id).changes === 1,
  };
}
