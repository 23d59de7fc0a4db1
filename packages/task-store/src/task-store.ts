import { quote, WritError } from '@writ/core';
import { type ReadTx, readRow, readRows, type WriteTx } from '@writ/database';
import { insertEvent, makeEvent, readEvents, readOutputEnd } from './events.ts';
import { readPage } from './pages.ts';
import { isTerminal } from './states.ts';
import { getTask, TASK_COLUMNS, TASK_SHAPE } from './task-rows.ts';
import type { NewTask, Task, TaskChange, TaskEvent, TaskEventBody, TaskStore } from './types.ts';
import { readWrits, writsColumn } from './writs.ts';

const INSERT = `INSERT INTO task (id, sender, origin, session, agent, chain, idempotency_key, request_digest, spec,
  bounds, granted, state, epoch, last_seq, created_at_ms, deadline_ms, writs, version)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'submitted', 0, 0, ?, ?, ?, 1) ON CONFLICT DO NOTHING`;
const FIND_BY_KEY = `SELECT ${TASK_COLUMNS} FROM task WHERE sender = ? AND idempotency_key = ?`;
const LIST_LIVE = `SELECT ${TASK_COLUMNS} FROM task WHERE live = 1 ORDER BY n`;
const COUNT_LIVE = 'SELECT COUNT(*) FROM task WHERE live = 1';
const COUNT_LIVE_OF = 'SELECT COUNT(*) FROM task WHERE live = 1 AND sender = ?';
// INVARIANT: 8 one statement checks version, liveness and epoch, and changes the row.
const UPDATE = `UPDATE task SET state = COALESCE(@state, state), epoch = COALESCE(@epoch, epoch),
  cancel_requested_at_ms = COALESCE(@cancelRequestedAtMs, cancel_requested_at_ms),
  attempt_nonce = COALESCE(@attemptNonce, attempt_nonce), outcome = COALESCE(@outcome, outcome),
  granted = COALESCE(@granted, granted), deadline_ms = COALESCE(@deadlineMs, deadline_ms),
  ended_at_ms = IIF(@outcome IS NULL, NULL, @nowMs), version = version + 1
  WHERE id = @id AND version = @version AND live = 1 AND epoch <= COALESCE(@epoch, epoch)`;
const GET_HEAD = 'SELECT n, epoch, last_seq AS lastSeq, state, live FROM task WHERE id = ?';
// A few for each new one, so that no transaction forgets a day's worth at once.
const FORGET_WRITS = `DELETE FROM used_writ WHERE (sender, nonce) IN
  (SELECT sender, nonce FROM used_writ WHERE until_ms < ? ORDER BY until_ms LIMIT 10)`;
const USE_WRIT = `INSERT INTO used_writ (sender, nonce, request, until_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET until_ms = MAX(until_ms, excluded.until_ms) WHERE request = excluded.request`;
const USED_WRIT = 'SELECT request FROM used_writ WHERE sender = ? AND nonce = ?';
const RENEW = 'UPDATE task SET writs = ?, bounds = ?, version = version + 1 WHERE id = ? AND live = 1';
const SET_LAST_SEQ = 'UPDATE task SET last_seq = ? WHERE n = ?';

/** The executor's records in SQLite. */
export function createTaskStore(): TaskStore {
  return {
    insert,
    get: getTask,
    findByKey,
    writs: (tx, id) => readWrits(tx, 'task', id),
    renewWrits(tx, id, writs, bounds) {
      const { changes } = tx.prepare(RENEW).run(writsColumn(writs), JSON.stringify(bounds), id);
      return changes === 1 ? getTask(tx, id) : undefined;
    },
    list: (tx, { sender, states, limit, before }) =>
      readRows(
        tx,
        readPage(tx, { table: 'task', columns: TASK_COLUMNS, equals: { sender }, states, limit, before }),
        TASK_SHAPE,
      ),
    listLive: (tx) => readRows(tx, tx.prepare(LIST_LIVE).all(), TASK_SHAPE),
    countLive: (tx, sender) =>
      Number(
        sender === undefined ? tx.prepare(COUNT_LIVE).pluck().get() : tx.prepare(COUNT_LIVE_OF).pluck().get(sender),
      ),
    update,
    append,
    useWrit,
    events: (tx, id, afterSeq, limit) => readEvents(tx, 'task_event', id, afterSeq, limit),
    outputEnd: (tx, id) => readOutputEnd(tx, 'task_event', id),
  };
}

function findByKey(tx: ReadTx, sender: string, idempotencyKey: string): Task | undefined {
  return readRow(tx, tx.prepare(FIND_BY_KEY).get(sender, idempotencyKey), TASK_SHAPE);
}

function insert(tx: WriteTx, task: NewTask): ReturnType<TaskStore['insert']> {
  const inserted = tx
    .prepare(INSERT)
    .run(
      task.id,
      task.sender,
      task.origin,
      task.session,
      task.agent,
      JSON.stringify(task.chain),
      task.idempotencyKey,
      task.requestDigest,
      JSON.stringify(task.spec),
      JSON.stringify(task.bounds),
      JSON.stringify(task.granted),
      tx.nowMs,
      task.deadlineMs ?? null,
      writsColumn(task.writs),
    );
  // INVARIANT: 8 one start per idempotency key: the unique index decides, not a look before.
  const stored = inserted.changes === 1 ? getTask(tx, task.id) : findByKey(tx, task.sender, task.idempotencyKey);
  if (stored !== undefined) return { kind: inserted.changes === 1 ? 'inserted' : 'existing', task: stored };
  if (inserted.changes === 1) throw new WritError('INTERNAL', 'a task that could not be read back was refused');
  return { kind: 'taken' };
}

function update(tx: WriteTx, id: string, version: number, change: TaskChange): Task | undefined {
  if ((change.state !== undefined && isTerminal(change.state)) !== (change.outcome !== undefined)) {
    throw new WritError('INTERNAL', 'a terminal state and its outcome are stored together');
  }
  if (change.outcome !== undefined && change.outcome.state !== change.state) {
    throw new WritError('INTERNAL', 'an outcome of another state than the one that is stored');
  }
  const { changes } = tx.prepare(UPDATE).run({
    id,
    version,
    state: change.state ?? null,
    epoch: change.epoch ?? null,
    cancelRequestedAtMs: change.cancelRequestedAtMs ?? null,
    attemptNonce: change.attemptNonce ?? null,
    outcome: change.outcome === undefined ? null : JSON.stringify(change.outcome),
    granted: change.granted === undefined ? null : JSON.stringify(change.granted),
    deadlineMs: change.deadlineMs ?? null,
    nowMs: tx.nowMs,
  });
  return changes === 1 ? getTask(tx, id) : undefined;
}

interface TaskHead {
  readonly n: number;
  readonly epoch: number;
  readonly lastSeq: number;
  readonly state: string;
  readonly live: number;
}

function append(tx: WriteTx, id: string, epoch: number, bodies: readonly TaskEventBody[]): readonly TaskEvent[] {
  const head = tx.prepare(GET_HEAD).get(id) as TaskHead | undefined;
  if (head === undefined) throw new WritError('NOT_FOUND', `no task ${quote(id)}`);
  if (epoch > head.epoch) throw new WritError('INTERNAL', `an event of attempt ${epoch}, which has not begun`);
  // INVARIANT: 8 an overtaken attempt changes nothing, and a terminal state absorbs.
  if (epoch < head.epoch || (head.live === 0 && bodies.some((body) => leavesState(body, head.state)))) return [];
  const events = bodies.map((body, i) => makeEvent({ seq: head.lastSeq + 1 + i, atMs: tx.nowMs, epoch }, body));
  for (const event of events) insertEvent(tx, 'task_event', head.n, event);
  if (events.length > 0) tx.prepare(SET_LAST_SEQ).run(head.lastSeq + events.length, head.n);
  return events;
}

function useWrit(tx: WriteTx, writ: Parameters<TaskStore['useWrit']>[1]): string {
  const { sender, nonce, request, untilMs } = writ;
  // INVARIANT: 8 one that is forgotten under a wrong clock is valid again, and new, once the clock is right.
  tx.forRemoval?.prepare(FORGET_WRITS).run(tx.nowMs);
  if (tx.prepare(USE_WRIT).run(sender, nonce, request, untilMs).changes === 1) return request;
  return (tx.prepare(USED_WRIT).get(sender, nonce) as { readonly request: string }).request;
}

function leavesState(body: TaskEventBody, state: string): boolean {
  if (body.kind === 'outcome') return body.outcome.state !== state;
  return body.kind === 'state' && body.state !== state;
}
