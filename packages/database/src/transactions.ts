import type { Logger } from '@writ/core';
import type BetterSqlite3 from 'better-sqlite3';
import type { ClockMark } from './clock-mark.ts';
import { misuse, wrapSqlite } from './errors.ts';
import type { Quarantine } from './quarantine.ts';
import { insertOrCount, settleCounted } from './refusals.ts';
import type { StatementCache } from './statements.ts';
import type { ReadTx, RemovalTx, WriteTx } from './types.ts';

/** What transactions of one database share. */
export interface TransactionParts {
  readonly handle: BetterSqlite3.Database;
  readonly prepare: StatementCache;
  readonly mark: ClockMark;
  readonly quarantine: Quarantine;
  readonly logger: Logger;
  /** Called after every commit that wrote audit rows. */
  readonly auditListeners: ReadonlySet<() => void>;
}

/** The only two ways into the database. */
export interface Transactions {
  read<T>(fn: (tx: ReadTx) => T): T;
  write<T>(fn: (tx: WriteTx) => T): T;
}

export function createTransactions(parts: TransactionParts): Transactions {
  return { read: (fn) => runRead(parts, fn), write: (fn) => runWrite(parts, fn) };
}

function runRead<T>(parts: TransactionParts, fn: (tx: ReadTx) => T): T {
  const { handle, prepare } = parts;
  refuseNested(handle);
  let open = true;
  const tx: ReadTx = {
    kind: 'read',
    prepare(sql) {
      if (!open) throw misuse('a transaction was used after its end');
      const statement = prepare(sql);
      if (!statement.readonly) throw misuse('a read transaction was asked to write');
      return statement;
    },
    quarantine: (row) => parts.quarantine.add(row),
  };
  try {
    prepare('BEGIN').run();
    return refusePromise(fn(tx));
  } catch (error) {
    throw wrapSqlite(error);
  } finally {
    open = false;
    if (handle.inTransaction) prepare('ROLLBACK').run();
  }
}

function runWrite<T>(parts: TransactionParts, fn: (tx: WriteTx) => T): T {
  const { handle, prepare, mark, quarantine, logger } = parts;
  refuseNested(handle);
  const hooks: (() => void)[] = [];
  const scope: Scope = { open: true, usedAtMs: undefined, hasAudited: false };
  let result: T;
  try {
    prepare('BEGIN IMMEDIATE').run();
    const reported = quarantine.pending();
    const tx = createWriteTx(parts, scope, hooks);
    for (const entry of reported) tx.audit(entry);
    result = refusePromise(fn(tx));
    // INVARIANT: 4 a time that this transaction wrote anywhere becomes the floor of all later ones, with it.
    const takeOver = mark.persist(tx, scope.usedAtMs);
    prepare('COMMIT').run();
    takeOver();
    quarantine.settle(reported.length);
  } catch (error) {
    throw wrapSqlite(error);
  } finally {
    scope.open = false;
    // A failed COMMIT leaves the transaction open; some errors have ended it already.
    if (handle.inTransaction) prepare('ROLLBACK').run();
  }
  for (const hook of hooks) runHook(hook, logger);
  if (scope.hasAudited) for (const listener of parts.auditListeners) runHook(listener, logger);
  return result;
}

/** What one write transaction has done so far. */
interface Scope {
  open: boolean;
  usedAtMs: number | undefined;
  hasAudited: boolean;
}

function createWriteTx(parts: TransactionParts, scope: Scope, hooks: (() => void)[]): WriteTx {
  const nowMs = parts.mark.nowMs();
  const checkOpen = (): void => {
    if (!scope.open) throw misuse('a transaction was used after its end');
  };
  const isBelieved = isTimeBelieved(parts.mark);
  const tx: WriteTx = {
    kind: 'write',
    clockIsBackwards: parts.mark.isBackwards(),
    get forRemoval() {
      return isBelieved ? (tx as RemovalTx) : undefined;
    },
    get nowMs() {
      scope.usedAtMs = nowMs;
      return nowMs;
    },
    prepare(sql) {
      checkOpen();
      return parts.prepare(sql);
    },
    quarantine: (row) => parts.quarantine.add(row),
    audit(entry) {
      checkOpen();
      scope.usedAtMs = nowMs;
      if (insertOrCount(parts.prepare, nowMs, entry)) scope.hasAudited = true;
    },
    settleRefusals() {
      checkOpen();
      if (!settleCounted(parts.prepare, nowMs)) return;
      scope.usedAtMs = nowMs;
      scope.hasAudited = true;
    },
    afterCommit(fn) {
      checkOpen();
      hooks.push(fn);
    },
  };
  return tx;
}

/** See `Database.isTimeBelieved`. */
export function isTimeBelieved(mark: Pick<ClockMark, 'isBackwards' | 'isDoubted'>): boolean {
  return !mark.isBackwards() && !mark.isDoubted();
}

/** One connection has one transaction: whoever changes several stores opens it and hands it on. */
function refuseNested(handle: BetterSqlite3.Database): void {
  if (handle.inTransaction) throw misuse('a transaction was opened inside another; pass the outer one on');
}

/** A callback that awaits would leave its transaction before its work is done. */
export function refusePromise<T>(value: T): T {
  if (typeof value === 'object' && value !== null && 'then' in value) {
    // The promise is nobody's now; its rejection must not end the process.
    Promise.resolve(value).catch(() => {});
    throw misuse('a transaction callback returned a promise; it must be synchronous');
  }
  return value;
}

function runHook(hook: () => void, logger: Logger): void {
  try {
    hook();
  } catch (error) {
    logger.error('an after-commit hook failed', { error: error instanceof Error ? error.message : String(error) });
  }
}
