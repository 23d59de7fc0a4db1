import { LEAST_KEPT_MS } from '@writ/core';
import {
  countColumn,
  fieldsOf,
  flagColumn,
  jsonColumn,
  type ReadTx,
  type RowShape,
  readRow,
  readRows,
  type WriteTx,
} from '@writ/database';
import { z } from 'zod';
import {
  EXECUTION_CLASSES,
  EXECUTION_STATES,
  type Execution,
  type ExecutionChange,
  type ExecutionOutcome,
  type ExecutionState,
  type ExecutionStore,
  type NewExecution,
} from './execution-types.ts';

const OUTCOME = z.object(
  fieldsOf<ExecutionOutcome>()({ code: z.string(), message: z.string(), exitCode: z.number().int().optional() }),
);

const SHAPE: RowShape<Execution> = {
  table: 'execution',
  key: 'id',
  shape: z.object(
    fieldsOf<Execution>()({
      id: z.string().min(1),
      origin: z.string().min(1),
      session: z.string().min(1),
      agent: z.string().min(1),
      task: z.string().min(1).optional(),
      requestedBy: z.string().min(1),
      idempotencyKey: z.string(),
      class: z.enum(EXECUTION_CLASSES),
      known: flagColumn,
      needs: jsonColumn(z.array(z.string())),
      target: z.string().min(1).optional(),
      profile: z.string(),
      digest: z.string().regex(/^[0-9a-f]{64}$/),
      request: jsonColumn(z.json()),
      basis: jsonColumn(z.json()),
      preview: z.string(),
      state: z.enum(EXECUTION_STATES),
      approval: z.string().optional(),
      window: z.string().optional(),
      lease: z.string().optional(),
      createdAtMs: countColumn,
      expiresAtMs: countColumn,
      startedAtMs: countColumn.optional(),
      endedAtMs: countColumn.optional(),
      outcome: jsonColumn(OUTCOME).optional(),
      version: countColumn,
    }),
  ),
};

const COLUMNS = `id, origin, session, agent, task, requested_by AS requestedBy, idempotency_key AS idempotencyKey, class,
  known, needs, target, profile, digest, request, basis, preview, state, approval, window, lease,
  created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs, started_at_ms AS startedAtMs, ended_at_ms AS endedAtMs,
  outcome, version`;

const INSERT = `INSERT INTO execution (id, origin, session, agent, task, requested_by, idempotency_key, class, known,
  needs, target, profile, digest, request, basis, preview, state, created_at_ms, expires_at_ms, version)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'proposed', ?, ?, 1)`;
const HAS = 'SELECT 1 FROM execution WHERE id = ?';
const GET = `SELECT ${COLUMNS} FROM execution WHERE id = ?`;
const FIND_KEY = `SELECT ${COLUMNS} FROM execution WHERE requested_by = ? AND origin = ? AND session = ?
  AND idempotency_key = ?`;
const FIND_APPROVAL = `SELECT ${COLUMNS} FROM execution WHERE live = 1 AND approval = ?`;
const LIST = `SELECT ${COLUMNS} FROM execution WHERE (@origin IS NULL OR (origin = @origin AND session = @session))
  AND (@task IS NULL OR task = @task) ORDER BY n DESC LIMIT @limit`;
const LIST_IN = `SELECT ${COLUMNS} FROM execution WHERE live = 1 AND state = @state
  AND n > IFNULL((SELECT n FROM execution WHERE id = @after), 0) ORDER BY n LIMIT @limit`;
const WAITING = `live = 1 AND state IN ('proposed', 'pending_approval')`;
const LIST_WAITING_SESSION = `SELECT ${COLUMNS} FROM execution WHERE ${WAITING} AND origin = ? AND session = ? ORDER BY n`;
const LIST_WAITING_TASK = `SELECT ${COLUMNS} FROM execution WHERE ${WAITING} AND task = ? ORDER BY n`;
const WAITING_HEADS = `SELECT id, state, requested_by, session, task FROM execution WHERE ${WAITING} ORDER BY n`;
const COUNT_LIVE_SESSION = 'SELECT COUNT(*) FROM execution WHERE live = 1 AND origin = ? AND session = ?';
const COUNT_LIVE_TASK = 'SELECT COUNT(*) FROM execution WHERE live = 1 AND task = ?';
const COUNT_LIVE_ASKER = 'SELECT COUNT(*) FROM execution WHERE live = 1 AND requested_by = ?';
const COUNT_LIVE_OTHERS = 'SELECT COUNT(*) FROM execution WHERE live = 1 AND requested_by <> ?';
const COUNT_NEWEST = `SELECT COUNT(*) FROM (SELECT requested_by, created_at_ms FROM execution ORDER BY n DESC LIMIT @among)
  WHERE requested_by = @requestedBy AND created_at_ms > @sinceMs AND created_at_ms <= @untilMs`;
const NEWEST = 'SELECT created_at_ms FROM execution WHERE origin = ? AND session = ? ORDER BY n DESC LIMIT 1 OFFSET ?';
const LIST_DUE = `SELECT ${COLUMNS} FROM execution WHERE ${WAITING} AND expires_at_ms <= ? ORDER BY n LIMIT ?`;
const MOVE = `UPDATE execution SET state = @to, approval = IFNULL(@approval, approval), window = IFNULL(@window, window),
  lease = IFNULL(@lease, lease), outcome = @outcome, started_at_ms = IFNULL(started_at_ms, @startedAtMs),
  ended_at_ms = @endedAtMs, version = version + 1
  WHERE id = @id AND state = @from AND version = @version`;
const END_WAITING = `UPDATE execution SET state = 'expired', ended_at_ms = ?, version = version + 1
  WHERE state IN ('proposed', 'pending_approval')`;
const PRUNE = 'DELETE FROM execution WHERE n IN (SELECT n FROM execution WHERE ended_at_ms <= ? LIMIT ?)';

/** Gated commands in SQLite. */
export function createExecutionStore(): ExecutionStore {
  return {
    insert,
    get,
    findByKey: (tx, { requestedBy, origin, session, idempotencyKey }) =>
      readRow(tx, tx.prepare(FIND_KEY).get(requestedBy, origin, session, idempotencyKey), SHAPE),
    has: (tx, id) => tx.prepare(HAS).get(id) !== undefined,
    findByApproval: (tx, approval) => readRow(tx, tx.prepare(FIND_APPROVAL).get(approval), SHAPE),
    list(tx, { key, task, limit }) {
      const whose = { origin: key?.origin ?? null, session: key?.session ?? null, task: task ?? null };
      return readRows(tx, tx.prepare(LIST).all({ ...whose, limit }), SHAPE);
    },
    listIn: (tx, state, { after, limit }) =>
      readRows(tx, tx.prepare(LIST_IN).all({ state, after: after ?? null, limit }), SHAPE),
    listDue: (tx, limit) => readRows(tx, tx.prepare(LIST_DUE).all(tx.nowMs, limit), SHAPE),
    listWaiting: (tx, filter) =>
      readRows(
        tx,
        'task' in filter
          ? tx.prepare(LIST_WAITING_TASK).all(filter.task)
          : tx.prepare(LIST_WAITING_SESSION).all(filter.key.origin, filter.key.session),
        SHAPE,
      ),
    countLive(tx, filter) {
      if ('task' in filter) return Number(tx.prepare(COUNT_LIVE_TASK).pluck().get(filter.task));
      if ('requestedBy' in filter) return Number(tx.prepare(COUNT_LIVE_ASKER).pluck().get(filter.requestedBy));
      if ('notOf' in filter) return Number(tx.prepare(COUNT_LIVE_OTHERS).pluck().get(filter.notOf));
      return Number(tx.prepare(COUNT_LIVE_SESSION).pluck().get(filter.key.origin, filter.key.session));
    },
    listWaitingHeads(tx) {
      const rows = tx.prepare(WAITING_HEADS).raw().all() as [string, ExecutionState, string, string, string | null][];
      return rows.map(([id, state, requestedBy, session, task]) => ({
        ...{ id, state, requestedBy, session },
        ...(task === null ? {} : { task }),
      }));
    },
    countNewest: (tx, requestedBy, within) =>
      Number(
        tx
          .prepare(COUNT_NEWEST)
          .pluck()
          .get({ requestedBy, ...within }),
      ),
    newestAtMs(tx, { origin, session }, place) {
      const found = tx.prepare(NEWEST).pluck().get(origin, session, place);
      return found === undefined ? undefined : Number(found);
    },
    move,
    endWaiting: (tx) => tx.prepare(END_WAITING).run(tx.nowMs).changes,
    prune: (tx, limit) => tx.prepare(PRUNE).run(tx.nowMs - LEAST_KEPT_MS, limit).changes,
  };
}

function insert(tx: WriteTx, execution: NewExecution): Execution {
  const createdAtMs = tx.nowMs;
  tx.prepare(INSERT).run(
    execution.id,
    execution.origin,
    execution.session,
    execution.agent,
    execution.task ?? null,
    execution.requestedBy,
    execution.idempotencyKey,
    execution.class,
    execution.known ? 1 : 0,
    JSON.stringify(execution.needs),
    execution.target ?? null,
    execution.profile,
    execution.digest,
    JSON.stringify(execution.request),
    JSON.stringify(execution.basis),
    execution.preview,
    createdAtMs,
    execution.expiresAtMs,
  );
  return { ...execution, state: 'proposed', createdAtMs, version: 1 };
}

function get(tx: ReadTx, id: string): Execution | undefined {
  return readRow(tx, tx.prepare(GET).get(id), SHAPE);
}

function move(
  tx: WriteTx,
  { id, state, version }: Pick<Execution, 'id' | 'state' | 'version'>,
  change: ExecutionChange,
): Execution | undefined {
  const { approval, window, lease, outcome } = change;
  const isLive = change.state === 'proposed' || change.state === 'pending_approval' || change.state === 'running';
  const { changes } = tx.prepare(MOVE).run({
    ...{ id, from: state, version, to: change.state },
    ...{ approval: approval ?? null, window: window ?? null, lease: lease ?? null },
    outcome: outcome === undefined ? null : JSON.stringify(outcome),
    startedAtMs: change.state === 'running' ? tx.nowMs : null,
    endedAtMs: isLive ? null : tx.nowMs,
  });
  return changes === 1 ? get(tx, id) : undefined;
}
