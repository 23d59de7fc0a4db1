import { quote, WritError } from '@writ/core';
import BetterSqlite3 from 'better-sqlite3';

/** ALREADY_RUNNING: another writer holds the database. */
export function alreadyRunning(path: string): WritError {
  return new WritError('ALREADY_RUNNING', `another node has ${quote(path)} open`, {
    details: { path },
    nextSteps: ['use the running node, or end it with `writ down`', 'give a second node its own home'],
  });
}

/** SCHEMA_TOO_NEW: the file was written by a later program. */
export function schemaTooNew(path: string, migration: string): WritError {
  return new WritError('SCHEMA_TOO_NEW', `${quote(path)} has migration ${quote(migration)}, which this version lacks`, {
    details: { path, migration },
    nextSteps: ['upgrade writ on this machine to the version that last ran here; nothing was changed'],
  });
}

/** INTERNAL: a transaction was used in a way that the program itself must not. */
export function misuse(message: string): WritError {
  return new WritError('INTERNAL', message);
}

/** SQLite's own errors as DATABASE_ERROR; everything else unchanged. */
export function wrapSqlite(error: unknown): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error;
  return new WritError('DATABASE_ERROR', `the database refused: ${error.message}`, {
    details: { sqlite: error.code },
    nextSteps: ['check free space and permissions of the home, then start the node again'],
    cause: error,
  });
}
