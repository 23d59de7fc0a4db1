import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, LogFields, Logger } from '@writ/core';
import BetterSqlite3 from 'better-sqlite3';
import { migrate } from '../migrate.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { ensurePrivateFile } from '../private-file.ts';
import type { WriteTx } from '../types.ts';

/** A wall clock that stands where a test puts it; it has no timers. */
export function createStandingClock(startMs: number): Clock & { set(ms: number): void } {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    setTimer: () => () => {},
    setEvery: () => () => {},
    set(ms) {
      nowMs = ms;
    },
  };
}

/** A logger that remembers its errors. */
export function createErrorLog(): Logger & { readonly errors: { message: string; fields?: LogFields }[] } {
  const errors: { message: string; fields?: LogFields }[] = [];
  return {
    errors,
    debug() {},
    info() {},
    warn() {},
    error: (message, fields) => errors.push({ message, ...(fields ? { fields } : {}) }),
  };
}

/** Fills a database that an earlier program has made: with the migrations before `number` alone. */
export async function fillEarlier(
  path: string,
  number: string,
  fill: (tx: Pick<WriteTx, 'prepare'>) => void,
): Promise<void> {
  ensurePrivateFile(path);
  const handle = new BetterSqlite3(path);
  await migrate(handle, Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < number)));
  fill(handle);
  handle.close();
}

/** A private directory of its own, and how to remove it. */
export function createHome(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'writ-database-'));
  chmodSync(path, 0o700);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
