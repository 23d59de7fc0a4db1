import { existsSync, statSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { wrapSqlite } from './errors.ts';
import { tightenSideFiles } from './private-file.ts';

/** Tables that are there before a node has written anything. */
const BEFORE_ANY = new Set(['kysely_migration', 'kysely_migration_lock', 'sqlite_sequence']);

/**
 * Whether a database holds nothing that a node wrote, with the rows that are still in the file beside it: it is not there, has no
 * tables, or has no audit row, which every start writes. Another program's holds something. Throws DATABASE_ERROR for what is no
 * database.
 */
export function isEmptyDatabase(path: string): boolean {
  if (!existsSync(path) || statSync(path).size === 0) return true;
  try {
    const handle = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    try {
      return holdsNothing(handle);
    } finally {
      handle.close();
      tightenSideFiles(path);
    }
  } catch (error) {
    throw wrapSqlite(error, path);
  }
}

function holdsNothing(handle: BetterSqlite3.Database): boolean {
  const tables = handle.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all();
  if (tables.includes('audit')) return handle.prepare('SELECT 1 FROM audit LIMIT 1').get() === undefined;
  return tables.every((name) => BEFORE_ANY.has(String(name)));
}
