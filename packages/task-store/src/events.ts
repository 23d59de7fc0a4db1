import { countColumn, jsonColumn, type ReadTx, readRow, type WriteTx } from '@writ/database';
import { z } from 'zod';
import type { Turn } from './question-types.ts';
import { bodyShape } from './shapes.ts';
import type { TaskEvent, TaskEventBody } from './types.ts';

/** Where the events of one end are kept. */
export type EventTable = 'task_event' | 'mirror_event';

const SHAPE = z.object({
  owner: countColumn,
  seq: countColumn,
  atMs: countColumn,
  epoch: countColumn,
  body: jsonColumn(bodyShape),
});

const INSERT = {
  task_event: 'INSERT INTO task_event (task_n, seq, at_ms, epoch, body) VALUES (?, ?, ?, ?, ?)',
  mirror_event: 'INSERT INTO mirror_event (mirror_n, seq, at_ms, epoch, body) VALUES (?, ?, ?, ?, ?)',
} as const;
const AFTER = {
  task_event: `SELECT task_n AS owner, seq, at_ms AS atMs, epoch, body FROM task_event
    WHERE task_n = (SELECT n FROM task WHERE id = ?) AND seq > ? ORDER BY seq LIMIT ?`,
  mirror_event: `SELECT mirror_n AS owner, seq, at_ms AS atMs, epoch, body FROM mirror_event
    WHERE mirror_n = (SELECT n FROM mirror WHERE id = ?) AND seq > ? ORDER BY seq LIMIT ?`,
} as const;

const END = {
  task_event: `SELECT body ->> '$.offset' + body ->> '$.length' AS bytes FROM task_event
    WHERE task_n = (SELECT n FROM task WHERE id = ?) AND body ->> '$.kind' = 'output' ORDER BY seq DESC LIMIT 1`,
  mirror_event: `SELECT body ->> '$.offset' + body ->> '$.length' AS bytes FROM mirror_event
    WHERE mirror_n = (SELECT n FROM mirror WHERE id = ?) AND body ->> '$.kind' = 'output' ORDER BY seq DESC LIMIT 1`,
} as const;

// What a task waited for before is told by nobody: kept as well, the turns of one task would be as many times as long.
const DROP_TURN = {
  task_event: `UPDATE task_event SET body = json_remove(body, '$.turn') WHERE task_n = @owner AND seq = (SELECT seq FROM task_event
    WHERE task_n = @owner AND seq < @seq AND body ->> '$.turn' IS NOT NULL ORDER BY seq DESC LIMIT 1)`,
  mirror_event: `UPDATE mirror_event SET body = json_remove(body, '$.turn') WHERE mirror_n = @owner AND seq = (SELECT seq FROM mirror_event
    WHERE mirror_n = @owner AND seq < @seq AND body ->> '$.turn' IS NOT NULL ORDER BY seq DESC LIMIT 1)`,
} as const;

const LAST_STATE = `SELECT mirror_n AS owner, seq, at_ms AS atMs, epoch, body FROM mirror_event
  WHERE mirror_n = (SELECT n FROM mirror WHERE id = ?) AND body ->> '$.kind' = 'state' ORDER BY seq DESC LIMIT 1`;

/** What the last change of state of a mirror says that the task waits for. */
export function readTurn(tx: ReadTx, id: string): Turn | undefined {
  const row = readRow(tx, tx.prepare(LAST_STATE).get(id), { table: 'mirror_event', key: 'owner', shape: SHAPE });
  return row?.body.kind === 'state' ? row.body.turn : undefined;
}

/** Stores one event of row `owner`; the turn that it brings stands in the place of the one before. */
export function insertEvent(tx: WriteTx, table: EventTable, owner: number, event: TaskEvent): void {
  const { seq, atMs, epoch, ...body } = event;
  tx.prepare(INSERT[table]).run(owner, seq, atMs, epoch, JSON.stringify(body));
  if (event.kind === 'state' && event.turn !== undefined) tx.prepare(DROP_TURN[table]).run({ owner, seq });
}

/** An event from its parts. */
export function makeEvent(head: { seq: number; atMs: number; epoch: number }, body: TaskEventBody): TaskEvent {
  return { ...head, ...body };
}

/** Where the output of the stored events ends, bytes; 0: there is none. */
export function readOutputEnd(tx: ReadTx, table: EventTable, id: string): number {
  const row = tx.prepare(END[table]).get(id) as { readonly bytes: number } | undefined;
  return row?.bytes ?? 0;
}

/**
 * Events after `afterSeq` in order, at most `limit`. It stops before an event that cannot be read: whoever follows the
 * sequence must never be handed a gap as if there were none.
 */
export function readEvents(
  tx: ReadTx,
  table: EventTable,
  id: string,
  afterSeq: number,
  limit: number,
): readonly TaskEvent[] {
  const events: TaskEvent[] = [];
  for (const stored of tx.prepare(AFTER[table]).all(id, afterSeq, limit)) {
    const row = readRow(tx, stored, { table, key: 'owner', shape: SHAPE });
    if (row === undefined) break;
    events.push(makeEvent({ seq: row.seq, atMs: row.atMs, epoch: row.epoch }, row.body));
  }
  return events;
}
