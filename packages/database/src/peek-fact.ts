import { existsSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { wrapSqlite } from './errors.ts';

/**
 * A fact of a node, read beside the process that may have the database open; undefined where there is none. For
 * commands that work without a running node: nothing is written, migrated or locked. Throws DATABASE_ERROR.
 */
export function peekFact(path: string, key: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const handle = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    try {
      const value = handle.prepare('SELECT value FROM node_fact WHERE key = ?').pluck().get(key);
      return typeof value === 'string' ? value : undefined;
    } finally {
      handle.close();
    }
  } catch (error) {
    throw wrapSqlite(error, path);
  }
}
