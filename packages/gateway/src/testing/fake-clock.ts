import type { Clock } from '@writ/core';

/** A clock that a test owns. */
export interface FakeClock extends Clock {
  advance(ms: number): void;
  /** Resolves once a timer of exactly `delayMs` is armed. */
  armed(delayMs: number): Promise<void>;
  readonly timers: number;
}

/** A clock that stands still at `startMs`. */
export function createFakeClock(startMs = 1_700_000_000_000): FakeClock {
  let nowMs = startMs;
  const timers = new Set<{ readonly atMs: number; readonly delayMs: number; readonly fn: () => void }>();
  const waiting: { readonly delayMs: number; readonly resolve: () => void }[] = [];
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    setTimer(delayMs, fn) {
      const timer = { atMs: nowMs + delayMs, delayMs, fn };
      timers.add(timer);
      for (const waiter of waiting) if (waiter.delayMs === delayMs) waiter.resolve();
      return () => void timers.delete(timer);
    },
    setEvery: () => () => {},
    advance(ms) {
      nowMs += ms;
      for (const timer of [...timers]) {
        if (timer.atMs > nowMs) continue;
        timers.delete(timer);
        timer.fn();
      }
    },
    armed(delayMs) {
      if ([...timers].some((timer) => timer.delayMs === delayMs)) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ delayMs, resolve }));
    },
    get timers() {
      return timers.size;
    },
  };
}
