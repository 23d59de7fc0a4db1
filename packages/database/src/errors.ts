import { dirname } from 'node:path';
import { quote, shellWord, toWritError, WritError } from '@writ/core';
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

/** DATABASE_ERROR: the file is one of SQLite, and not of this program. */
export function foreignDatabase(path: string): WritError {
  return unusable(path, 'is the database of another program');
}

/** DATABASE_ERROR: something of the schema is gone. */
export function damagedDatabase(path: string, why: string, cause?: Error): WritError {
  return unusable(path, `is damaged: ${why}`, cause);
}

/** DATABASE_ERROR: the file, or the folder that it is in, cannot be used at all. */
export function unopenable(path: string, error: unknown): WritError {
  const { message, nextSteps } = toWritError(error);
  return new WritError('DATABASE_ERROR', `${quote(path)} cannot be opened: ${message}`, {
    ...{ details: { path }, nextSteps, cause: error },
  });
}

function unusable(path: string, is: string, cause?: Error): WritError {
  // With the files beside it: SQLite would take them for those of a new one.
  const folder = dirname(path);
  const aside = `mv ${shellWord(folder)} ${shellWord(`${folder}.broken`)}`;
  return new WritError('DATABASE_ERROR', `${quote(path)} ${is}`, {
    details: { path },
    nextSteps: [
      'put the database of this home back, from a backup',
      `or keep it aside, and lose what it holds (leases, tasks, sessions): ${aside}`,
    ],
    ...(cause === undefined ? {} : { cause }),
  });
}

/** INTERNAL: a transaction was used in a way that the program itself must not. */
export function misuse(message: string): WritError {
  return new WritError('INTERNAL', message);
}

/** SQLite's own errors as DATABASE_ERROR, those about the file as a whole with its `path`; everything else unchanged. */
export function wrapSqlite(error: unknown, path?: string): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error;
  if (path !== undefined && /^SQLITE_(?:NOTADB|CORRUPT)/.test(error.code)) {
    return unusable(path, `is no database, or is damaged: ${error.message}`, error);
  }
  // A table or column that is not there: no room on the disk brings it back.
  const isSchema = error.code === 'SQLITE_ERROR';
  if (isSchema && path !== undefined) return damagedDatabase(path, error.message, error);
  // What cannot be read stays so until the file is another one.
  const isBroken = isSchema || /^SQLITE_(?:NOTADB|CORRUPT)/.test(error.code);
  return new WritError('DATABASE_ERROR', `the database refused: ${error.message}`, {
    details: { sqlite: error.code },
    nextSteps: isBroken
      ? [
          'end the node and start it again, which looks at its database: writ down, then writ up',
          'where it is refused then, too: put the database of this home back, from a backup',
        ]
      : ['check free space and permissions of the home, then start the node again'],
    cause: error,
  });
}
