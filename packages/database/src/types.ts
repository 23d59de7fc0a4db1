import type { Json } from '@writ/core';
import type BetterSqlite3 from 'better-sqlite3';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** An open transaction; stores take one and never open their own. Only valid inside its callback. */
export interface ReadTx {
  readonly kind: 'read' | 'write';
  /** Prepared statements, cached by text for the life of the database. */
  prepare(sql: string): BetterSqlite3.Statement;
}
export interface WriteTx extends ReadTx {
  readonly kind: 'write';
  /**
   * Now, milliseconds since the epoch, fixed for this transaction.
   * INVARIANT: 4 never below the highest time that was ever persisted.
   */
  readonly nowMs: number;
  /** Appends an audit row in this transaction. */
  audit(entry: AuditEntry): void;
  /** Runs after the commit, never after a rollback. */
  afterCommit(fn: () => void): void;
}

/** One line of the audit trail, written in the transaction of its effect. */
export interface AuditEntry {
  /** `decision`, `task`, `lease`, `peer`, `invite`, `policy`, `token`, `node`, … */
  readonly kind: string;
  /** What happened, for example `lease.granted`. */
  readonly action: string;
  /** Who did it: a node id, `self`, `person`, or `node`. */
  readonly actor: string;
  /** What it happened to, for example a task id. */
  readonly subject?: string;
  readonly details?: Readonly<Record<string, Json>>;
}

/** An audit row as stored. */
export interface AuditRow extends AuditEntry {
  readonly seq: number;
  readonly atMs: number;
}

/** The node's one SQLite database: one writer process, WAL, mode 0600. */
export interface Database {
  /** For lists and administration only; hot transitions use prepared statements. */
  readonly kysely: Kysely<Tables>;
  /** A read transaction; always rolled back. Synchronous: `fn` may not await. */
  withReadTx<T>(fn: (tx: ReadTx) => T): T;
  /** `BEGIN IMMEDIATE`; commits when `fn` returns, rolls back when it throws. Synchronous: `fn` may not await. */
  withWriteTx<T>(fn: (tx: WriteTx) => T): T;
  /** Newest first. */
  auditTail(limit: number): readonly AuditRow[];
  /** True when the wall clock stands more than 60 s below the highest persisted time. */
  clockIsBackwards(): boolean;
  close(): void;
}
