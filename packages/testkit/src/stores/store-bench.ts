import { silentLogger } from '@writ/core';
import { type Database, openDatabase, type RemovalTx, type WriteTx } from '@writ/database';
import { createFakeClock, type FakeClock } from '../clock.ts';

/** Where the clock of a bench stands first, milliseconds since the epoch. */
export const BENCH_START_MS = 1_800_000_000_000;

/** A database of its own in memory, and the clock that it lives by. */
export interface StoreBench {
  readonly database: Database;
  readonly clock: FakeClock;
}

/** Close `database` after use. */
export async function openStoreBench(): Promise<StoreBench> {
  const clock = createFakeClock(BENCH_START_MS);
  return { clock, database: await openDatabase({ path: ':memory:', clock, logger: silentLogger }) };
}

/** Makes the implementation that a contract suite runs on; called once for each test. */
export type MakeStore<T> = () => T;

/** A transaction that may remove what has had its time; the clock of a bench is believed. */
export function believed({ forRemoval }: WriteTx): RemovalTx {
  if (forRemoval === undefined) throw new Error('the time of the bench is not believed');
  return forRemoval;
}

/** The error of `fn`, or undefined where it threw none. */
export function thrownBy(fn: () => unknown): unknown {
  try {
    fn();
    return undefined;
  } catch (error) {
    return error;
  }
}
