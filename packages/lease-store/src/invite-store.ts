import { LEAST_KEPT_MS } from '@writ/core';
import { countColumn, fieldsOf, jsonColumn, type RowShape, readRows } from '@writ/database';
import { z } from 'zod';
import type { InviteRecord, InviteStore } from './types.ts';

const SHAPE: RowShape<InviteRecord> = {
  table: 'invite',
  key: 'id',
  shape: z.object(
    fieldsOf<InviteRecord>()({
      id: z.string(),
      secretHash: z.string(),
      profiles: jsonColumn(z.array(z.string())),
      workspaces: jsonColumn(z.array(z.string())),
      leaseMs: countColumn.optional(),
      createdAtMs: countColumn,
      expiresAtMs: countColumn,
      usedAtMs: countColumn.optional(),
    }),
  ),
};

const INSERT = `INSERT INTO invite (id, secret_hash, profiles, workspaces, lease_ms, created_at_ms, expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const LIST_OPEN = `SELECT id, secret_hash AS secretHash, profiles, workspaces, lease_ms AS leaseMs,
  created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs, used_at_ms AS usedAtMs FROM invite
  WHERE used_at_ms IS NULL AND expires_at_ms > ? ORDER BY created_at_ms DESC, id DESC`;
const USE = 'UPDATE invite SET used_at_ms = @nowMs WHERE id = @id AND used_at_ms IS NULL AND expires_at_ms > @nowMs';
const END_ALL = 'UPDATE invite SET used_at_ms = ? WHERE used_at_ms IS NULL RETURNING id';

const PRUNE = `DELETE FROM invite WHERE id IN
  (SELECT id FROM invite WHERE ifnull(used_at_ms, expires_at_ms) <= ? LIMIT ?)`;

/** Invites in SQLite. */
export function createInviteStore(): InviteStore {
  return {
    insert(tx, invite) {
      const createdAtMs = tx.nowMs;
      tx.prepare(INSERT).run(
        invite.id,
        invite.secretHash,
        JSON.stringify(invite.profiles),
        JSON.stringify(invite.workspaces),
        invite.leaseMs ?? null,
        createdAtMs,
        invite.expiresAtMs,
      );
      return { ...invite, createdAtMs };
    },
    listOpen: (tx, nowMs) => readRows(tx, tx.prepare(LIST_OPEN).all(nowMs), SHAPE),
    // A clock that went back could make an old secret look fresh.
    use: (tx, id) => !tx.clockIsBackwards && tx.prepare(USE).run({ nowMs: tx.nowMs, id }).changes === 1,
    endAll: (tx) => tx.prepare(END_ALL).pluck().all(tx.nowMs).map(String),
    prune: (tx, limit) => tx.prepare(PRUNE).run(tx.nowMs - LEAST_KEPT_MS, limit).changes,
  };
}
