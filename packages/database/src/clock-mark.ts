import type { Clock } from '@writ/core';
import type BetterSqlite3 from 'better-sqlite3';
import { acceptedBelief, type ClockBelief, lookAtClock } from './clock-belief.ts';
import type { WriteTx } from './types.ts';

/** How far the wall clock may stand below the mark before time-limited rights are refused, milliseconds. */
const TOLERANCE_MS = 60_000;
/** So much of what the node has run is lost at most when it is killed, milliseconds. */
const NOTED_EVERY_MS = 60_000;

/** The highest time that was ever persisted, what time it therefore is, and whether that is believed. */
export interface ClockMark {
  /** INVARIANT: 4 now never runs backwards, across restarts too. */
  nowMs(): number;
  isBackwards(): boolean;
  /** Whether the wall clock has stepped ahead so far that nothing may be removed by it. */
  isDoubted(): boolean;
  /** How far the wall clock stands below the mark, milliseconds; 0 where it does not. */
  behindMs(): number;
  /**
   * Persists the time that a transaction has used, if it has, and with it whether it is believed; as the last thing before the
   * commit. What is returned takes both over in memory, and what `lower` did in that transaction; after the commit.
   */
  persist(tx: WriteTx, atMs: number | undefined): () => void;
  /** Lowers the mark to the wall clock, with the commit of `tx` and not without it. */
  lower(tx: WriteTx): void;
}

const READ = `SELECT high_ms AS highMs, settled_ms AS settledMs, awake_ms AS awakeMs, doubt_ahead_ms AS aheadMs,
  doubt_since_ms AS sinceMs FROM clock_mark WHERE id = 1`;
const WRITE = `UPDATE clock_mark SET high_ms = @highMs, settled_ms = @settledMs, awake_ms = @awakeMs,
  doubt_ahead_ms = @aheadMs, doubt_since_ms = @sinceMs WHERE id = 1`;

interface Row {
  readonly highMs: number;
  readonly settledMs: number;
  readonly awakeMs: number;
  readonly aheadMs: number | null;
  readonly sinceMs: number | null;
}

/** A belief, and what this process had run when it was held. */
interface Held {
  readonly belief: ClockBelief;
  readonly atMs: number;
}

export function createClockMark(handle: BetterSqlite3.Database, clock: Clock): ClockMark {
  const row = handle.prepare(READ).get() as Row;
  const write = handle.prepare(WRITE);
  let { highMs } = row;
  // What was looked at last, by this start or one before it.
  let held: Held = { belief: beliefOf(row), atMs: clock.monotonicMs() };
  let noted = held.belief;
  // How to take over what was lowered; of a transaction that was rolled back nobody asks.
  const lowered = new WeakMap<WriteTx, () => void>();

  const look = (): Held => {
    const atMs = clock.monotonicMs();
    // Kept whether or not it is written down: a doubt begins when it is seen first, also by a node that only reads.
    held = { atMs, belief: lookAtClock(held.belief, { wallMs: clock.nowMs(), ranMs: atMs - held.atMs }) };
    return held;
  };
  const store = (atMs: number, now: Held): (() => void) => {
    write.run(rowOf(atMs, now.belief));
    return () => {
      highMs = atMs;
      held = now;
      noted = now.belief;
    };
  };
  return {
    nowMs: () => Math.max(Math.floor(clock.nowMs()), highMs),
    isBackwards: () => clock.nowMs() < highMs - TOLERANCE_MS,
    isDoubted: () => look().belief.doubt !== undefined,
    behindMs: () => Math.max(0, highMs - Math.floor(clock.nowMs())),
    persist(tx, atMs) {
      // INVARIANT: 4 a transaction that accepts the clock has used the old, higher time, which must not come back with it.
      const accepted = lowered.get(tx);
      if (accepted !== undefined) return accepted;
      if (atMs === undefined) return () => {};
      const now = look();
      if (atMs > highMs || isNews(noted, now.belief)) return store(Math.max(atMs, highMs), now);
      return () => {};
    },
    lower(tx) {
      const atMs = Math.floor(clock.nowMs());
      const now = look();
      lowered.set(tx, store(atMs, { ...now, belief: acceptedBelief(now.belief, atMs) }));
    },
  };
}

/** Whether more than a while of running is to be written down. */
function isNews(noted: ClockBelief, now: ClockBelief): boolean {
  return (
    noted.settledMs !== now.settledMs ||
    noted.doubt?.sinceMs !== now.doubt?.sinceMs ||
    now.awakeMs - noted.awakeMs >= NOTED_EVERY_MS
  );
}

function beliefOf({ settledMs, awakeMs, aheadMs, sinceMs }: Row): ClockBelief {
  return { settledMs, awakeMs, ...(aheadMs === null || sinceMs === null ? {} : { doubt: { aheadMs, sinceMs } }) };
}

/** In whole milliseconds. */
function rowOf(highMs: number, { settledMs, awakeMs, doubt }: ClockBelief): Row {
  return {
    highMs,
    settledMs: Math.floor(settledMs),
    awakeMs: Math.floor(awakeMs),
    aheadMs: doubt === undefined ? null : Math.floor(doubt.aheadMs),
    sinceMs: doubt === undefined ? null : Math.floor(doubt.sinceMs),
  };
}
