import { existsSync, statSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { wrapSqlite } from './errors.ts';
import { tightenSideFiles } from './private-file.ts';

/**
 * A fact of a node, read beside the process that may have the database open; undefined where there is none. For
 * commands that work without a running node: nothing is written, migrated or locked. Throws DATABASE_ERROR.
 */
export function peekFact(path: string, key: string): string | undefined {
  if (!existsSync(path)) return undefined;
  return peek(path, (handle) => {
    const value = handle.prepare('SELECT value FROM node_fact WHERE key = ?').pluck().get(key);
    return typeof value === 'string' ? value : undefined;
  });
}

/** Tables that are there before a node has written anything. */
const BEFORE_ANY = new Set(['kysely_migration', 'kysely_migration_lock', 'sqlite_sequence']);

/**
 * Whether a database holds nothing that a node wrote, with the rows that are still in the file beside it: it is not there, has no
 * tables, or has no audit row, which every start writes. Another program's holds something. Throws DATABASE_ERROR for what is no
 * database.
 */
export function isEmptyDatabase(path: string): boolean {
  if (!existsSync(path) || statSync(path).size === 0) return true;
  return peek(path, (handle) => {
    const tables = handle.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all();
    if (tables.includes('audit')) return handle.prepare('SELECT 1 FROM audit LIMIT 1').get() === undefined;
    return tables.every((name) => BEFORE_ANY.has(String(name)));
  });
}

function peek<T>(path: string, read: (handle: BetterSqlite3.Database) => T): T {
  try {
    const handle = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    try {
      return read(handle);
    } finally {
      handle.close();
      tightenSideFiles(path);
    }
  } catch (error) {
    throw wrapSqlite(error, path);
  }
}
