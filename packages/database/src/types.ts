import type { Clock, Json, Logger } from '@writ/core';
import type BetterSqlite3 from 'better-sqlite3';
import type { Kysely } from 'kysely';
import type { AuditAction, AuditKind } from './audit-actions.ts';
import type { Tables } from './tables.ts';

/** An open transaction; stores take one and never open their own. Only valid inside its callback. */
export interface ReadTx {
  readonly kind: 'read' | 'write';
  /**
   * Prepared statements, cached by text for the life of the database. Throws INTERNAL after the transaction has ended,
   * and in a read transaction for a statement that writes.
   */
  prepare(sql: string): BetterSqlite3.Statement;
  /** Reports a row that cannot be read; the caller skips it. Logged and audited once for each row. */
  quarantine(row: QuarantinedRow): void;
}
export interface WriteTx extends ReadTx {
  readonly kind: 'write';
  /**
   * Now, milliseconds since the epoch, fixed for this transaction.
   * INVARIANT: 4 never below the highest time that was ever persisted.
   */
  readonly nowMs: number;
  /** Whether the wall clock stands so far back that no time-limited right may be used; fixed for this transaction. */
  readonly clockIsBackwards: boolean;
  /**
   * This transaction, as one that may remove for good what has had its time; undefined while the time is not believed
   * (`Database.isTimeBelieved`). Whatever removes by the time takes it, so that none can forget to ask.
   */
  readonly forRemoval: RemovalTx | undefined;
  /**
   * Appends an audit row in this transaction. Of refusals that are alike only the first few in a minute get one; the others are
   * counted, and have one together when the minute is over.
   */
  audit(entry: AuditEntry): void;
  /** Writes the rows of refusals that were counted and whose minute is over. */
  settleRefusals(): void;
  /** Runs after the commit, never after a rollback; what it throws is logged and stops nothing. */
  afterCommit(fn: () => void): void;
}

/** A write transaction at a time that is believed: it may remove what has had its time. */
export interface RemovalTx extends WriteTx {
  readonly forRemoval: RemovalTx;
}

/** One line of the audit trail, written in the transaction of its effect. */
export interface AuditEntry {
  readonly kind: AuditKind;
  readonly action: AuditAction;
  /** Who did it: a node id, `self`, `person`, or `node`. */
  readonly actor: string;
  /** What it happened to, for example a task id. */
  readonly subject?: string;
  readonly details?: Readonly<Record<string, Json>>;
}

/** An audit row as stored; an earlier program may have had other words. */
export interface AuditRow extends Omit<AuditEntry, 'kind' | 'action'> {
  readonly seq: number;
  readonly atMs: number;
  readonly kind: string;
  readonly action: string;
}

/** JSON columns are checked when read; a row that cannot be read is reported as this and skipped. */
export interface QuarantinedRow {
  readonly table: string;
  readonly key: string;
  readonly reason: string;
  readonly raw: Json;
}

/** Reads the audit trail. */
export interface AuditTrail {
  /** Newest first. */
  auditTail(limit: number): readonly AuditRow[];
  /** At most `limit` rows behind number `seq`, oldest first. Numbers have no holes, and follow the order of the commits. */
  auditAfter(seq: number, limit: number): readonly AuditRow[];
  /** Number of the newest row; 0: there is none. */
  auditEnd(): number;
  /** The highest number that a row ever had: more than `auditEnd` where somebody took rows away. */
  auditIssued(): number;
}

/** Reads what the audit trail holds about single tasks; what else happens on the node costs nothing and shows in nothing. */
export interface TaskTrail {
  /** At most `limit` rows about any of `tasks`, oldest first, without the first `skip` of them. */
  auditOfTasks(tasks: readonly string[], skip: number, limit: number): readonly AuditRow[];
  /** How many rows there are about any of `tasks`. */
  auditCountOfTasks(tasks: readonly string[]): number;
}

/** The node's one SQLite database: one writer process, WAL, mode 0600. */
export interface Database extends AuditTrail, TaskTrail {
  /** For lists and administration only: it refuses to write; hot transitions use prepared statements. */
  readonly kysely: Kysely<Tables>;
  /** A read transaction; always rolled back. Synchronous: `fn` may not await. Throws INTERNAL when nested. */
  withReadTx<T>(fn: (tx: ReadTx) => T): T;
  /**
   * `BEGIN IMMEDIATE`; commits when `fn` returns, rolls back when it throws. Synchronous: `fn` may not await.
   * Throws INTERNAL when nested or when `fn` returns a promise, DATABASE_ERROR for what SQLite refuses.
   */
  withWriteTx<T>(fn: (tx: WriteTx) => T): T;
  /** Called after every commit that wrote audit rows; what it throws is logged. Returns how to stop. */
  onAudit(listener: () => void): () => void;
  /** Now for reads: the wall clock, but never below the highest persisted time. */
  nowMs(): number;
  /** True when the wall clock stands more than 60 s below the highest persisted time. */
  clockIsBackwards(): boolean;
  /**
   * Whether what cannot be brought back may go by the time: not while the wall clock stands back and was not accepted, and not
   * for a day of running, over all starts, after it stepped ahead by more than a week; a node that was off for as long is not
   * told apart from one whose clock is wrong. At once again where the clock comes right. What only expires does not ask.
   */
  isTimeBelieved(): boolean;
  /**
   * Takes the wall clock as true although it went back. `endRights` must end every time-limited right in the same
   * transaction; it still sees the old, higher `nowMs`.
   */
  acceptClock(endRights: (tx: WriteTx) => void): void;
  /** The same within the caller's transaction; the mark is lowered with its commit, and not without it. */
  acceptClockIn(tx: WriteTx, by: string, endRights: () => void): void;
  /** How far the wall clock stands below the highest persisted time, milliseconds; 0 where it does not. */
  clockBehindMs(): number;
  /** Rows that could not be read since the start. */
  quarantined(): readonly QuarantinedRow[];
  /** Ends the connection and the lock; calling it twice is harmless. */
  close(): void;
}

export interface DatabaseOptions {
  /** Absolute path of the database file, or `:memory:` for one that dies with its handle. */
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
}
