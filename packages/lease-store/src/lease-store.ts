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
import type { ClaimRefusal, Lease, LeaseStore, NewLease } from './types.ts';

const SHAPE: RowShape<Lease> = {
  table: 'lease',
  key: 'id',
  shape: z.object(
    fieldsOf<Lease>()({
      id: z.string(),
      peer: z.string().min(1),
      origin: z.string().min(1),
      session: z.string().min(1).optional(),
      profile: z.string().min(1),
      closure: jsonColumn(z.array(z.string())),
      workspaces: jsonColumn(z.array(z.string())),
      issuedBy: z.string(),
      issuedAtMs: countColumn,
      expiresAtMs: countColumn,
      maxExpiresAtMs: countColumn,
      maxUses: countColumn.optional(),
      uses: countColumn,
      revokedAtMs: countColumn.optional(),
      version: countColumn,
    }),
  ),
};

const COLUMNS = `id, peer, origin, session, profile, closure, workspaces, issued_by AS issuedBy,
  issued_at_ms AS issuedAtMs, expires_at_ms AS expiresAtMs, max_expires_at_ms AS maxExpiresAtMs, max_uses AS maxUses,
  uses, revoked_at_ms AS revokedAtMs, version`;

/** What makes a lease usable at a moment; expiry has no grace. One text, so that reading and claiming agree. */
const LIVE = 'revoked_at_ms IS NULL AND expires_at_ms > ? AND (max_uses IS NULL OR uses < max_uses)';

const INSERT = `INSERT INTO lease (id, peer, origin, session, profile, closure, workspaces, issued_by, issued_at_ms,
  expires_at_ms, max_expires_at_ms, max_uses, uses, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 1)`;
const GET = `SELECT ${COLUMNS} FROM lease WHERE id = ?`;
const LIST_LIVE = `SELECT ${COLUMNS} FROM lease WHERE ${LIVE} ORDER BY issued_at_ms DESC, rowid DESC`;
const LIST_LIVE_OF = `SELECT ${COLUMNS} FROM lease WHERE ${LIVE} AND peer = ? ORDER BY issued_at_ms DESC, rowid DESC`;
const LIST_ALL = `SELECT ${COLUMNS} FROM lease ORDER BY issued_at_ms DESC, rowid DESC`;
const LIST_ALL_OF = `SELECT ${COLUMNS} FROM lease WHERE peer = ? ORDER BY issued_at_ms DESC, rowid DESC`;
const FIND_LIVE = `SELECT ${COLUMNS} FROM lease WHERE ${LIVE} AND peer = ? AND origin = ?
  AND (session IS NULL OR session = ?) ORDER BY issued_at_ms DESC, rowid DESC`;
const CLAIM = `UPDATE lease SET uses = uses + 1, version = version + 1 WHERE ${LIVE} AND id = ?`;
const RETURN = 'UPDATE lease SET uses = uses - 1, version = version + 1 WHERE id = ? AND uses > 0';
// INVARIANT: 4 a dead lease never becomes live again, and none lives past the maximum that it was issued with.
const RENEW = `UPDATE lease SET expires_at_ms = @expiresAtMs, version = version + 1 WHERE id = @id AND version = @version
  AND revoked_at_ms IS NULL AND expires_at_ms > @nowMs AND expires_at_ms < @expiresAtMs
  AND max_expires_at_ms >= @expiresAtMs`;
const REVOKE = 'UPDATE lease SET revoked_at_ms = ?, version = version + 1 WHERE id = ? AND revoked_at_ms IS NULL';
const PRUNE = `DELETE FROM lease WHERE rowid IN (
  SELECT rowid FROM lease WHERE expires_at_ms <= @deadSinceMs UNION SELECT rowid FROM lease WHERE revoked_at_ms <= @deadSinceMs LIMIT @limit)`;

/** Leases in SQLite. */
export function createLeaseStore(): LeaseStore {
  return {
    insert,
    get,
    list(tx, { peer, includeDead, nowMs }) {
      if (includeDead)
        return readRows(tx, peer ? tx.prepare(LIST_ALL_OF).all(peer) : tx.prepare(LIST_ALL).all(), SHAPE);
      const rows = peer ? tx.prepare(LIST_LIVE_OF).all(nowMs, peer) : tx.prepare(LIST_LIVE).all(nowMs);
      return readRows(tx, rows, SHAPE);
    },
    findLive(tx, { peer, origin, session }, nowMs) {
      return readRows(tx, tx.prepare(FIND_LIVE).all(nowMs, peer, origin, session ?? null), SHAPE);
    },
    claimUse(tx, id) {
      // INVARIANT: 4 a clock that went back could make an expired lease look alive.
      if (tx.clockIsBackwards) return { claimed: false, refusal: 'clock-backwards' };
      // INVARIANT: 4 the check and the count are one statement; of many claimers of one use, one changes a row.
      if (tx.prepare(CLAIM).run(tx.nowMs, id).changes === 1) return { claimed: true };
      return { claimed: false, refusal: explainRefusal(get(tx, id), tx.nowMs) };
    },
    returnUse(tx, id) {
      tx.prepare(RETURN).run(id);
    },
    renew(tx, { id, version }, expiresAtMs) {
      if (tx.clockIsBackwards) return undefined;
      const { changes } = tx.prepare(RENEW).run({ id, version, expiresAtMs, nowMs: tx.nowMs });
      return changes === 1 ? get(tx, id) : undefined;
    },
    revoke: (tx, id) => tx.prepare(REVOKE).run(tx.nowMs, id).changes === 1,
    prune(tx, limit) {
      // INVARIANT: 4 only what validation already refuses is removed, and a missing lease is a denial.
      return tx.prepare(PRUNE).run({ deadSinceMs: tx.nowMs - LEAST_KEPT_MS, limit }).changes;
    },
  };
}

function insert(tx: WriteTx, lease: NewLease): Lease {
  const issuedAtMs = tx.nowMs;
  tx.prepare(INSERT).run(
    lease.id,
    lease.peer,
    lease.origin,
    lease.session ?? null,
    lease.profile,
    JSON.stringify(lease.closure),
    JSON.stringify(lease.workspaces),
    lease.issuedBy,
    issuedAtMs,
    lease.expiresAtMs,
    lease.maxExpiresAtMs,
    lease.maxUses ?? null,
  );
  return { ...lease, issuedAtMs, uses: 0, version: 1 };
}

function get(tx: ReadTx, id: string): Lease | undefined {
  return readRow(tx, tx.prepare(GET).get(id), SHAPE);
}

function explainRefusal(lease: Lease | undefined, nowMs: number): ClaimRefusal {
  if (lease === undefined) return 'missing';
  if (lease.revokedAtMs !== undefined) return 'revoked';
  return lease.expiresAtMs <= nowMs ? 'expired' : 'used-up';
}
