import { timingSafeEqual } from 'node:crypto';
import { WritError } from '@writ/core';
import { type RowShape, readRows } from '@writ/database';
import { z } from 'zod';
import type { TokenIdentity, TokenStore } from './types.ts';

/** SHA-256, lower-case hex. */
const HASH = /^[0-9a-f]{64}$/;

/** Characters of a hash that are looked up by index; 64 bits say nothing useful about the token. */
const PREFIX_LENGTH = 16;

/** A token row: whom it proves, beside its hash. */
type StoredToken = TokenIdentity & { readonly hash: string };

const SHAPE: RowShape<StoredToken> = {
  table: 'token',
  key: 'hash',
  shape: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('host'), hash: z.string().regex(HASH) }),
    z.object({
      kind: z.literal('task'),
      hash: z.string().regex(HASH),
      task: z.string().min(1),
      origin: z.string().min(1),
      // INVARIANT: 7 a token context without a session is refused, not defaulted.
      session: z.string().min(1),
    }),
  ]),
};

const DROP_HOST = `DELETE FROM token WHERE kind = 'host'`;
const PUT = `INSERT INTO token (hash, prefix, kind, task, origin, session, created_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`;
const FIND = 'SELECT hash, kind, task, origin, session FROM token WHERE prefix = ?';
const DROP_TASK = 'DELETE FROM token WHERE task = ?';

/** Tokens in SQLite, by hash. */
export function createTokenStore(): TokenStore {
  return {
    put(tx, hash, identity) {
      if (!HASH.test(hash)) throw new WritError('INTERNAL', 'a token is stored by its SHA-256 in lower-case hex');
      if (identity.kind === 'host') tx.prepare(DROP_HOST).run();
      if (identity.kind === 'task' && identity.session === '') {
        throw new WritError('INTERNAL', 'a task token needs a session');
      }
      const { task, origin, session } = identity.kind === 'task' ? identity : NOBODY;
      tx.prepare(PUT).run(hash, hash.slice(0, PREFIX_LENGTH), identity.kind, task, origin, session, tx.nowMs);
    },
    find(tx, hash) {
      if (!HASH.test(hash)) return undefined;
      const rows = readRows(tx, tx.prepare(FIND).all(hash.slice(0, PREFIX_LENGTH)), SHAPE);
      // Compared in full and in constant time; the index has told at most the prefix of a hash, never of a token.
      const found = rows.find((row) => timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash)));
      if (found === undefined) return undefined;
      if (found.kind === 'host') return { kind: 'host' };
      return { kind: 'task', task: found.task, origin: found.origin, session: found.session };
    },
    dropTask(tx, task) {
      tx.prepare(DROP_TASK).run(task);
    },
  };
}

const NOBODY = { task: null, origin: null, session: null };
