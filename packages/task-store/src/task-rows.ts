import { countColumn, fieldsOf, jsonColumn, type ReadTx, type RowShape, readRow } from '@writ/database';
import { z } from 'zod';
import { boundsShape, grantedShape, outcomeShape, specShape, stateShape } from './shapes.ts';
import type { Task } from './types.ts';

/** Columns of `task` under the names of `Task`. */
export const TASK_COLUMNS = `id, sender, origin, session, agent, chain, idempotency_key AS idempotencyKey,
  request_digest AS requestDigest, spec, bounds, granted, state, epoch, last_seq AS lastSeq, created_at_ms AS createdAtMs,
  deadline_ms AS deadlineMs, cancel_requested_at_ms AS cancelRequestedAtMs, attempt_nonce AS attemptNonce, outcome,
  version`;

export const TASK_SHAPE: RowShape<Task> = {
  table: 'task',
  key: 'id',
  shape: z.object(
    fieldsOf<Task>()({
      id: z.string(),
      sender: z.string(),
      origin: z.string(),
      session: z.string(),
      agent: z.string(),
      chain: jsonColumn(z.array(z.string())),
      idempotencyKey: z.string(),
      requestDigest: z.string(),
      spec: jsonColumn(specShape),
      bounds: jsonColumn(boundsShape),
      granted: jsonColumn(grantedShape),
      state: stateShape,
      epoch: countColumn,
      lastSeq: countColumn,
      createdAtMs: countColumn,
      deadlineMs: countColumn.optional(),
      cancelRequestedAtMs: countColumn.optional(),
      attemptNonce: z.string().optional(),
      outcome: jsonColumn(outcomeShape).optional(),
      version: countColumn,
    }),
  ),
};

const GET = `SELECT ${TASK_COLUMNS} FROM task WHERE id = ?`;

/** The task with this id, undefined where there is none or it cannot be read. */
export function getTask(tx: ReadTx, id: string): Task | undefined {
  return readRow(tx, tx.prepare(GET).get(id), TASK_SHAPE);
}
