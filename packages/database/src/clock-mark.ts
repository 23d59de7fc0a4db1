import type { Clock } from '@writ/core';
import type BetterSqlite3 from 'better-sqlite3';

/** How far the wall clock may stand below the mark before time-limited rights are refused, milliseconds. */
const TOLERANCE_MS = 60_000;

/** The highest time that was ever persisted, and what time it therefore is. */
export interface ClockMark {
  /** INVARIANT: 4 now never runs backwards, across restarts too. */
  nowMs(): number;
  isBackwards(): boolean;
  /** How far the wall clock stands below the mark, milliseconds; 0 where it does not. */
  behindMs(): number;
  /** Persists a time that a transaction has used; inside that transaction. */
  persist(atMs: number): void;
  /** Takes over a persisted time; after the commit. */
  raise(atMs: number): void;
  /** Lowers the mark to the wall clock; inside a transaction, and in memory when the returned function is called. */
  lower(): () => void;
}

export function createClockMark(handle: BetterSqlite3.Database, clock: Clock): ClockMark {
  const stored = handle.prepare('SELECT high_ms FROM clock_mark WHERE id = 1').pluck().get();
  const raiseRow = handle.prepare('UPDATE clock_mark SET high_ms = ? WHERE id = 1 AND high_ms < ?');
  const setRow = handle.prepare('UPDATE clock_mark SET high_ms = ? WHERE id = 1');
  let highMs = typeof stored === 'number' ? stored : 0;
  return {
    nowMs: () => Math.max(Math.floor(clock.nowMs()), highMs),
    isBackwards: () => clock.nowMs() < highMs - TOLERANCE_MS,
    behindMs: () => Math.max(0, highMs - Math.floor(clock.nowMs())),
    persist(atMs) {
      if (atMs > highMs) raiseRow.run(atMs, atMs);
    },
    raise(atMs) {
      highMs = Math.max(highMs, atMs);
    },
    lower() {
      const atMs = Math.floor(clock.nowMs());
      setRow.run(atMs);
      return () => {
        highMs = atMs;
      };
    },
  };
}
