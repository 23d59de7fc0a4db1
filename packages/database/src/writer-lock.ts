import BetterSqlite3 from 'better-sqlite3';
import { alreadyRunning } from './errors.ts';
import { ensurePrivateFile } from './private-file.ts';

/** Lets the next writer in; calling it twice is harmless. */
export type Unlock = () => void;

/**
 * Takes the one writer's place of a database, or throws ALREADY_RUNNING. The lock is an exclusive SQLite transaction on
 * an empty file beside the database: the kernel ends it with its process, however that dies, so there is nothing to
 * clean up by hand; a second handle in the same process is refused too; and readers of the database are not in its way,
 * as they would be with `locking_mode = EXCLUSIVE`.
 * Nothing else in this process may open the lock file or the database as a file: closing such a descriptor would drop
 * the kernel's locks with it.
 */
export function takeWriterLock(databasePath: string): Unlock {
  const path = `${databasePath}.lock`;
  ensurePrivateFile(path);
  const handle = new BetterSqlite3(path, { timeout: 0 });
  try {
    // Nothing is ever written here; without this an empty journal would lie about.
    handle.pragma('journal_mode = MEMORY');
    handle.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    handle.close();
    if (error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw alreadyRunning(databasePath);
    }
    throw error;
  }
  return () => {
    if (!handle.open) return;
    handle.close();
  };
}
