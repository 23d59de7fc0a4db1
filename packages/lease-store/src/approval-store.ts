import { type Json, LEAST_KEPT_MS } from '@writ/core';
import {
  countColumn,
  fieldsOf,
  jsonColumn,
  type ReadTx,
  type RowShape,
  readRow,
  readRows,
  type WriteTx,
} from '@writ/database';
import { z } from 'zod';
import {
  APPROVAL_KINDS,
  APPROVAL_SCOPES,
  APPROVAL_STATES,
  type Approval,
  type ApprovalDecision,
  type ApprovalStore,
  type NewApproval,
} from './approval-types.ts';

const SHAPE: RowShape<Approval> = {
  table: 'approval',
  key: 'id',
  shape: z.object(
    fieldsOf<Approval>()({
      id: z.string().min(1),
      kind: z.enum(APPROVAL_KINDS),
      origin: z.string().min(1),
      session: z.string().min(1),
      agent: z.string().min(1),
      task: z.string().min(1).optional(),
      requestedBy: z.string().min(1),
      digest: z.string().regex(/^[0-9a-f]{64}$/),
      preview: z.string(),
      subject: jsonColumn(z.json()),
      scopes: jsonColumn(z.array(z.enum(APPROVAL_SCOPES))),
      generation: countColumn,
      state: z.enum(APPROVAL_STATES),
      createdAtMs: countColumn,
      expiresAtMs: countColumn,
      decidedAtMs: countColumn.optional(),
      decidedBy: z.string().optional(),
      scope: z.enum(APPROVAL_SCOPES).optional(),
      proof: jsonColumn(z.json()).optional(),
      useByMs: countColumn.optional(),
      usedAtMs: countColumn.optional(),
      version: countColumn,
    }),
  ),
};

const COLUMNS = `id, kind, origin, session, agent, task, requested_by AS requestedBy, digest, preview, subject, scopes,
  generation, state, created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs, decided_at_ms AS decidedAtMs,
  decided_by AS decidedBy, scope, proof, use_by_ms AS useByMs, used_at_ms AS usedAtMs, version`;

const INSERT = `INSERT INTO approval (id, kind, origin, session, agent, task, requested_by, digest, preview, subject,
  scopes, generation, state, created_at_ms, expires_at_ms, version)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, 1)`;
const GET = `SELECT ${COLUMNS} FROM approval WHERE id = ?`;
const FIND_PENDING = `SELECT ${COLUMNS} FROM approval WHERE state = 'pending' AND origin = ? AND session = ?
  AND agent = ? AND kind = ? AND IFNULL(task, '') = ? AND digest = ?`;
const FIND_REQUEST = `SELECT ${COLUMNS} FROM approval WHERE origin = ? AND session = ? AND requested_by = ? AND kind = ?
  AND IFNULL(task, '') = ? AND CASE WHEN json_valid(subject) THEN json_extract(subject, '$.request.key') END = ?
  ORDER BY n DESC LIMIT 1`;
const COUNT_SESSION = `SELECT COUNT(*) FROM approval WHERE state = 'pending' AND origin = ? AND session = ?`;
const COUNT_TASK = `SELECT COUNT(*) FROM approval WHERE state = 'pending' AND task = ?`;
const COUNT_ASKER = `SELECT COUNT(*) FROM approval WHERE state = 'pending' AND requested_by = ?`;
const PENDING_IN = `SELECT id, created_at_ms FROM approval WHERE state = 'pending' AND requested_by = @requestedBy
  AND task IS NULL AND substr(session, 1, length(@prefix)) = @prefix ORDER BY n`;
const COUNT_BETWEEN = `SELECT COUNT(*) FROM approval WHERE requested_by = @requestedBy AND created_at_ms > @sinceMs
  AND created_at_ms <= @untilMs AND (task IS NULL AND substr(session, 1, length(@prefix)) = @prefix) = @isIn`;
const NEWEST = 'SELECT created_at_ms FROM approval WHERE origin = ? AND session = ? ORDER BY n DESC LIMIT 1 OFFSET ?';
const LIST = `SELECT ${COLUMNS} FROM approval WHERE (@pendingOnly = 0 OR state = 'pending')
  AND (@origin IS NULL OR (origin = @origin AND session = @session))
  AND (@task IS NULL OR task = @task) ORDER BY n DESC LIMIT @limit`;
const DECIDE = `UPDATE approval SET state = @state, decided_at_ms = @nowMs, decided_by = @decidedBy, scope = @scope,
  proof = @proof, use_by_ms = @useByMs, version = version + 1
  WHERE id = @id AND state = 'pending' AND version = @version`;
const USE = `UPDATE approval SET used_at_ms = @nowMs, version = version + 1 WHERE id = @id AND state = 'approved'
  AND digest = @digest AND used_at_ms IS NULL AND use_by_ms > @nowMs`;

/** An ending that no person chose; the rest of the statement says of which. */
const END = `UPDATE approval SET state = @state, decided_at_ms = @nowMs, decided_by = 'node', version = version + 1
  WHERE state = 'pending' AND`;
const EXPIRE = `${END} n IN (SELECT n FROM approval WHERE state = 'pending' AND expires_at_ms <= @nowMs
  ORDER BY expires_at_ms LIMIT @limit) RETURNING ${COLUMNS}`;
const END_ONE = `${END} id = @id RETURNING ${COLUMNS}`;
const CANCEL_SESSION = `${END} origin = @origin AND session = @session RETURNING ${COLUMNS}`;
const CANCEL_TASK = `${END} task = @task RETURNING ${COLUMNS}`;
const EXPIRE_ALL = `${END} TRUE RETURNING ${COLUMNS}`;
const DROP_UNUSED = `UPDATE approval SET use_by_ms = 0, version = version + 1
  WHERE state = 'approved' AND kind IN ('task', 'execution') AND used_at_ms IS NULL AND use_by_ms > 0
  AND (@by IS NULL OR decided_by = @by) RETURNING id`;
const PRUNE = `DELETE FROM approval WHERE n IN (SELECT n FROM approval WHERE decided_at_ms <= ? LIMIT ?)`;

/** Approvals in SQLite. */
export function createApprovalStore(): ApprovalStore {
  return {
    insert,
    get,
    findPending: (tx, question) => readRow(tx, pendingRow(tx, question), SHAPE),
    findByRequest: (tx, { origin, session, requestedBy, kind, task, key }) =>
      readRow(tx, tx.prepare(FIND_REQUEST).get(origin, session, requestedBy, kind, task ?? '', key), SHAPE),
    findUnreadable(tx, question) {
      const row = pendingRow(tx, question);
      return row === undefined || readRow(tx, row, SHAPE) !== undefined ? undefined : salvage(row)?.id;
    },
    countPendingOfSession: (tx, { origin, session }) => Number(tx.prepare(COUNT_SESSION).pluck().get(origin, session)),
    countPendingOfTask: (tx, task) => Number(tx.prepare(COUNT_TASK).pluck().get(task)),
    countPendingOfAsker: (tx, requestedBy) => Number(tx.prepare(COUNT_ASKER).pluck().get(requestedBy)),
    pendingIn: (tx, requestedBy, prefix) =>
      tx
        .prepare(PENDING_IN)
        .raw()
        .all({ requestedBy, prefix })
        .map((row) => {
          const [id, createdAtMs]: readonly unknown[] = Array.isArray(row) ? row : [];
          return { id: String(id), createdAtMs: Number(createdAtMs) };
        }),
    countBetween: (tx, { requestedBy, prefix, which }, sinceMs, untilMs) =>
      Number(
        tx
          .prepare(COUNT_BETWEEN)
          .pluck()
          .get({ requestedBy, prefix, sinceMs, untilMs, isIn: which === 'in' ? 1 : 0 }),
      ),
    newestAtMs(tx, { origin, session }, place) {
      const found = tx.prepare(NEWEST).pluck().get(origin, session, place);
      return found === undefined ? undefined : Number(found);
    },
    list(tx, { pendingOnly, key, task, limit }) {
      const whose = { origin: key?.origin ?? null, session: key?.session ?? null, task: task ?? null };
      return readRows(tx, tx.prepare(LIST).all({ pendingOnly: pendingOnly ? 1 : 0, ...whose, limit }), SHAPE);
    },
    decide,
    use(tx, id, digest) {
      // A clock that went back could make a yes look fresh that is not.
      if (tx.clockIsBackwards) return false;
      return tx.prepare(USE).run({ nowMs: tx.nowMs, id, digest }).changes === 1;
    },
    expireDue: (tx, limit) => endMany(tx, EXPIRE, { state: 'expired', limit }),
    end: (tx, id, state) => endMany(tx, END_ONE, { state, id })[0],
    cancelOf: (tx, whose) =>
      'task' in whose
        ? endMany(tx, CANCEL_TASK, { state: 'cancelled', task: whose.task })
        : endMany(tx, CANCEL_SESSION, { state: 'cancelled', origin: whose.origin, session: whose.session }),
    endAll: (tx) => endMany(tx, EXPIRE_ALL, { state: 'expired' }),
    dropUnused: (tx, decidedBy) =>
      tx
        .prepare(DROP_UNUSED)
        .pluck()
        .all({ by: decidedBy ?? null })
        .map(String),
    prune: (tx, limit) => tx.prepare(PRUNE).run(tx.nowMs - LEAST_KEPT_MS, limit).changes,
  };
}

function insert(tx: WriteTx, approval: NewApproval): Approval {
  const createdAtMs = tx.nowMs;
  tx.prepare(INSERT).run(
    approval.id,
    approval.kind,
    approval.origin,
    approval.session,
    approval.agent,
    approval.task ?? null,
    approval.requestedBy,
    approval.digest,
    approval.preview,
    JSON.stringify(approval.subject),
    JSON.stringify(approval.scopes),
    approval.generation,
    createdAtMs,
    approval.expiresAtMs,
  );
  return { ...approval, state: 'pending', createdAtMs, version: 1 };
}

function get(tx: ReadTx, id: string): Approval | undefined {
  return readRow(tx, tx.prepare(GET).get(id), SHAPE);
}

function decide(
  tx: WriteTx,
  { id, version }: Pick<Approval, 'id' | 'version'>,
  decision: ApprovalDecision,
): Approval | undefined {
  const { state, decidedBy, proof } = decision;
  const yes = decision.state === 'approved' ? decision : undefined;
  const { changes } = tx.prepare(DECIDE).run({
    ...{ id, version, state, decidedBy, nowMs: tx.nowMs, proof: JSON.stringify(proof) },
    ...{ scope: yes?.scope ?? null, useByMs: yes?.useByMs ?? null },
  });
  // INVARIANT: 5 at most one final decision: of many deciders of one version, one changes a row.
  return changes === 1 ? get(tx, id) : undefined;
}

function pendingRow(
  tx: ReadTx,
  { origin, session, agent, kind, task, digest }: Parameters<ApprovalStore['findPending']>[1],
): unknown {
  return tx.prepare(FIND_PENDING).get(origin, session, agent, kind, task ?? '', digest);
}

/** Whoever waits for one that cannot be read would wait for ever: it ends like any other. */
function endMany(tx: WriteTx, sql: string, values: Readonly<Record<string, Json>>): readonly Approval[] {
  const rows: readonly unknown[] = tx.prepare(sql).all({ nowMs: tx.nowMs, ...values });
  return rows.flatMap((row) => readRow(tx, row, SHAPE) ?? salvage(row) ?? []);
}

const text = z.string().catch('unreadable');
const count = countColumn.catch(0);

/** What names a question and says what has become of it; the rest is nothing that anybody could say yes to. */
const SALVAGED = z.object({
  ...{ id: z.string().min(1), kind: z.enum(APPROVAL_KINDS), state: z.enum(APPROVAL_STATES) },
  task: z
    .string()
    .nullish()
    .transform((task) => task ?? undefined),
  ...{ origin: text, session: text, agent: text, requestedBy: text, digest: text },
  ...{ createdAtMs: count, expiresAtMs: count, version: count },
});

function salvage(row: unknown): Approval | undefined {
  const { data } = SALVAGED.safeParse(row);
  if (data === undefined) return undefined;
  const { task, ...named } = data;
  const nothing = { preview: '', subject: null, scopes: [], generation: 0, decidedBy: 'node' };
  return { ...named, ...nothing, ...(task === undefined ? {} : { task }) };
}
