import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { shellWord, WritError } from '@writ/core';
import BetterSqlite3 from 'better-sqlite3';

/** What the loader of better-sqlite3, and Node.js, say where its compiled part is missing or was made for another Node.js. */
const MISSING = /could not locate the bindings file|NODE_MODULE_VERSION|ERR_DLOPEN_FAILED/i;

/**
 * Throws DATABASE_ERROR, with the command that mends it, where the compiled part of SQLite cannot be loaded: scripts of packages were
 * not run when Writ was installed, or Node.js is another one since.
 */
export function checkBinding(): void {
  try {
    new BetterSqlite3(':memory:').close();
  } catch (error) {
    throw unloadable(error) ?? error;
  }
}

/** DATABASE_ERROR for an error of the loader; undefined for any other. */
export function unloadable(error: unknown): WritError | undefined {
  if (!(error instanceof Error) || error instanceof BetterSqlite3.SqliteError) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  if (!MISSING.test(error.message) && !MISSING.test(code)) return undefined;
  // Its paths, one a line, help nobody.
  const why = /NODE_MODULE_VERSION/.test(error.message) ? 'was compiled for another Node.js' : 'is not there';
  return new WritError('DATABASE_ERROR', `the compiled part of SQLite (better-sqlite3) ${why}`, {
    nextSteps: [
      `${rebuild(import.meta.url)} (it needs Python 3 and a C++ compiler, and takes a minute or two)`,
      'then: writ doctor',
    ],
    cause: error,
  });
}

/** The command that compiles it where it lies, also where a user's settings keep packages from running scripts. */
function rebuild(from: string): string {
  const words = ['npm', 'rebuild', 'better-sqlite3', '--ignore-scripts=false', '--allow-scripts=better-sqlite3'];
  try {
    const root = dirname(dirname(dirname(createRequire(from).resolve('better-sqlite3/package.json'))));
    return ['cd', root, '&&', ...words].map((word) => (word === '&&' ? word : shellWord(word))).join(' ');
  } catch {
    return words.join(' ');
  }
}
