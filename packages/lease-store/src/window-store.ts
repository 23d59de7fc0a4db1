import { LEAST_KEPT_MS } from '@writ/core';
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
import { type NewWindow, WINDOW_KINDS, type Window, type WindowStore } from './window-types.ts';

const SHAPE: RowShape<Window> = {
  table: 'window',
  key: 'id',
  shape: z
    .object(
      fieldsOf<Window>()({
        id: z.string().min(1),
        kind: z.enum(WINDOW_KINDS),
        origin: z.string().min(1),
        session: z.string().min(1),
        agent: z.string().min(1),
        workspace: z.string().min(1).optional(),
        target: z.string().min(1).optional(),
        profile: z.string().min(1),
        steps: jsonColumn(z.array(z.string())).optional(),
        approval: z.string().min(1),
        openedAtMs: countColumn,
        expiresAtMs: countColumn,
        maxUses: countColumn.optional(),
        uses: countColumn,
        closedAtMs: countColumn.optional(),
        closedBy: z.string().optional(),
        version: countColumn,
      }),
    )
    .refine(
      ({ kind, target }) => (kind === 'destructive') === (target !== undefined),
      'a target is missing or too much',
    ),
};

const COLUMNS = `id, kind, origin, session, agent, workspace, target, profile, steps, approval,
  opened_at_ms AS openedAtMs, expires_at_ms AS expiresAtMs, max_uses AS maxUses, uses, closed_at_ms AS closedAtMs, closed_by AS closedBy, version`;

/** What makes a window open at a moment; expiry has no grace. One text, so that reading and claiming agree. */
const OPEN = 'closed_at_ms IS NULL AND expires_at_ms > @nowMs AND (max_uses IS NULL OR uses < max_uses)';

const INSERT = `INSERT INTO window (id, kind, origin, session, agent, workspace, target, profile, steps, approval,
  opened_at_ms, expires_at_ms, max_uses, uses, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 1)`;
const GET = `SELECT ${COLUMNS} FROM window WHERE id = ?`;
// INVARIANT: 6 every part of the key is compared, and IS compares an absent workspace or target with nothing else.
const FIND = `SELECT ${COLUMNS} FROM window WHERE ${OPEN} AND kind = @kind AND origin = @origin AND session = @session
  AND agent = @agent AND workspace IS @workspace AND target IS @target ORDER BY expires_at_ms DESC, n DESC`;
const LIST = `SELECT ${COLUMNS} FROM window WHERE ${OPEN}
  AND (@origin IS NULL OR (origin = @origin AND session = @session)) ORDER BY n DESC`;
const CLAIM = `UPDATE window SET uses = uses + 1, version = version + 1 WHERE ${OPEN} AND id = @id`;
const RETURN = 'UPDATE window SET uses = uses - 1, version = version + 1 WHERE id = ? AND uses > 0';
const CLOSE = `UPDATE window SET closed_at_ms = @nowMs, closed_by = @by, version = version + 1 WHERE closed_at_ms IS NULL`;
const CLOSE_ONE = `${CLOSE} AND id = @id RETURNING ${COLUMNS}`;
const CLOSE_SESSION = `${CLOSE} AND origin = @origin AND session = @session RETURNING ${COLUMNS}`;
const CLOSE_DECIDED_BY = `${CLOSE} AND approval IN (SELECT id FROM approval WHERE decided_by = @decidedBy)
  RETURNING ${COLUMNS}`;
const CLOSE_ALL = `${CLOSE} RETURNING ${COLUMNS}`;
const PRUNE = `DELETE FROM window WHERE n IN (SELECT n FROM window WHERE expires_at_ms <= ? LIMIT ?)`;

/** Windows in SQLite. */
export function createWindowStore(): WindowStore {
  return {
    open,
    get: (tx, id) => get(tx, id),
    findOpen(tx, key, nowMs) {
      const { kind, origin, session, agent, workspace = null } = key;
      const target = key.kind === 'destructive' ? key.target : null;
      return readRows(tx, tx.prepare(FIND).all({ nowMs, kind, origin, session, agent, workspace, target }), SHAPE);
    },
    listOpen(tx, { key, nowMs }) {
      const whose = { origin: key?.origin ?? null, session: key?.session ?? null };
      return readRows(tx, tx.prepare(LIST).all({ nowMs, ...whose }), SHAPE);
    },
    // A clock that went back could make an expired window look open.
    claimUse: (tx, id) => !tx.clockIsBackwards && tx.prepare(CLAIM).run({ nowMs: tx.nowMs, id }).changes === 1,
    returnUse(tx, id) {
      tx.prepare(RETURN).run(id);
    },
    close: (tx, id, by) => readRows(tx, tx.prepare(CLOSE_ONE).all({ nowMs: tx.nowMs, by, id }), SHAPE)[0],
    closeOf: (tx, { origin, session }, by) =>
      readRows(tx, tx.prepare(CLOSE_SESSION).all({ nowMs: tx.nowMs, by, origin, session }), SHAPE),
    closeDecidedBy: (tx, decidedBy, by) =>
      readRows(tx, tx.prepare(CLOSE_DECIDED_BY).all({ nowMs: tx.nowMs, by, decidedBy }), SHAPE),
    endAll: (tx) => readRows(tx, tx.prepare(CLOSE_ALL).all({ nowMs: tx.nowMs, by: 'node' }), SHAPE),
    prune: (tx, limit) => tx.prepare(PRUNE).run(tx.nowMs - LEAST_KEPT_MS, limit).changes,
  };
}

function open(tx: WriteTx, window: NewWindow): Window {
  const openedAtMs = tx.nowMs;
  tx.prepare(INSERT).run(
    window.id,
    window.kind,
    window.origin,
    window.session,
    window.agent,
    window.workspace ?? null,
    window.target ?? null,
    window.profile,
    window.steps === undefined ? null : JSON.stringify(window.steps),
    window.approval,
    openedAtMs,
    window.expiresAtMs,
    window.maxUses ?? null,
  );
  return { ...window, openedAtMs, uses: 0, version: 1 };
}

function get(tx: ReadTx, id: string): Window | undefined {
  return readRow(tx, tx.prepare(GET).get(id), SHAPE);
}
