import { existsSync, statSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import type { Migration } from 'kysely';
import { createAuditTrail, createTaskTrail } from './audit.ts';
import { type ClockMark, createClockMark } from './clock-mark.ts';
import { unopenable, wrapSqlite } from './errors.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { ensurePrivateFile, tightenSideFiles } from './private-file.ts';
import { createQuarantine } from './quarantine.ts';
import { createReadOnlyKysely } from './read-only-kysely.ts';
import { checkSchema } from './schema-check.ts';
import { createStatementCache } from './statements.ts';
import { createTransactions, isTimeBelieved } from './transactions.ts';
import type { Database, DatabaseOptions, WriteTx } from './types.ts';
import { takeWriterLock, type Unlock } from './writer-lock.ts';

/** How long a statement waits for a lock of a foreign connection, milliseconds. It blocks the event loop meanwhile. */
const BUSY_TIMEOUT_MS = 2000;

const IN_MEMORY = ':memory:';

/**
 * Opens the node's database: private files first, then the writer's place, then SQLite, then migrations. Throws
 * HOME_INSECURE, ALREADY_RUNNING, SCHEMA_TOO_NEW or DATABASE_ERROR; after any of them nothing is left open.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return openDatabaseWith(options, MIGRATIONS);
}

/** `openDatabase` with the migrations as an argument, so that tests can stand in a later program. */
export async function openDatabaseWith(
  options: DatabaseOptions,
  migrations: Readonly<Record<string, Migration>>,
): Promise<Database> {
  const { path } = options;
  if (path === IN_MEMORY) return openHandle(options, migrations, () => {});
  const unlock = lock(path);
  try {
    // Private before SQLite opens it, so that nothing secret is ever in a file that others can read.
    ensurePrivateFile(path);
    await peekSchema(path, migrations);
    return await openHandle(options, migrations, unlock);
  } catch (error) {
    unlock();
    throw typed(error, path);
  }
}

function lock(path: string): Unlock {
  try {
    return takeWriterLock(path);
  } catch (error) {
    throw typed(error, path);
  }
}

/** What the system says of the file (a folder stands there, it cannot be written), or SQLite, as an error of this program. */
function typed(error: unknown, path: string): unknown {
  return error instanceof Error && 'errno' in error ? unopenable(path, error) : wrapSqlite(error, path);
}

/** Reads what the file holds, beside whoever has it open; a file that is not there is fine. Throws SCHEMA_TOO_NEW or DATABASE_ERROR. */
export async function checkDatabase(path: string): Promise<void> {
  try {
    if (existsSync(path)) await peekSchema(path, MIGRATIONS);
  } catch (error) {
    throw typed(error, path);
  }
}

/** Looks at the schema through a handle that cannot write, so that a newer file stays as it is to the byte. */
async function peekSchema(path: string, migrations: Readonly<Record<string, Migration>>): Promise<void> {
  if (!statSync(path).isFile()) throw unopenable(path, new Error('it is no file'));
  const peek = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
  try {
    await checkSchema(peek, path, migrations);
  } finally {
    peek.close();
    tightenSideFiles(path);
  }
}

async function openHandle(
  options: DatabaseOptions,
  migrations: Readonly<Record<string, Migration>>,
  unlock: Unlock,
): Promise<Database> {
  const { path, clock, logger } = options;
  const handle = new BetterSqlite3(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    configure(handle);
    await migrate(handle, migrations);
    if (path !== IN_MEMORY) tightenSideFiles(path);
    const prepare = createStatementCache(handle);
    const mark = createClockMark(handle, clock);
    const quarantine = createQuarantine(logger);
    const auditListeners = new Set<() => void>();
    const transactions = createTransactions({ handle, prepare, mark, quarantine, logger, auditListeners });
    return {
      kysely: createReadOnlyKysely(handle),
      withReadTx: transactions.read,
      withWriteTx: transactions.write,
      ...createAuditTrail(prepare),
      ...createTaskTrail(prepare),
      onAudit(listener) {
        auditListeners.add(listener);
        return () => void auditListeners.delete(listener);
      },
      nowMs: mark.nowMs,
      clockIsBackwards: mark.isBackwards,
      isTimeBelieved: () => isTimeBelieved(mark),
      clockBehindMs: mark.behindMs,
      acceptClock: (endRights) =>
        transactions.write((tx) => acceptClockIn(mark, tx, { by: 'person', endRights: () => endRights(tx) })),
      acceptClockIn: (tx, by, endRights) => acceptClockIn(mark, tx, { by, endRights }),
      quarantined: quarantine.rows,
      close() {
        handle.close();
        unlock();
      },
    };
  } catch (error) {
    handle.close();
    throw error;
  }
}

function acceptClockIn(
  mark: ClockMark,
  tx: WriteTx,
  { by, endRights }: { readonly by: string; readonly endRights: () => void },
): void {
  tx.audit({ kind: 'node', action: 'clock.accepted', actor: by });
  endRights();
  mark.lower(tx);
}

/**
 * WAL lets readers of other processes go on during a write. FULL and not NORMAL, for every transaction: an accepted
 * task, a used lease and a revocation are acknowledged to somebody after the commit, and must survive a power cut;
 * at two commits a task the extra tenth of a millisecond each is affordable.
 */
function configure(handle: BetterSqlite3.Database): void {
  handle.pragma('journal_mode = WAL');
  handle.pragma('synchronous = FULL');
  handle.pragma('foreign_keys = ON');
  handle.pragma('trusted_schema = OFF');
}
