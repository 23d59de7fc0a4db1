import type { Clock } from '@writ/core';

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Moves both times on and fires what falls due on the way, in order of time. */
  advance(ms: number): void;
  /** Moves the wall clock alone, as a person or a time server does; timers are not touched. */
  jump(ms: number): void;
  /** How many timers wait. */
  pendingTimers(): number;
  /** Resolves as soon as at least `count` timers wait. */
  waitForTimers(count: number): Promise<void>;
}

interface Timer {
  atMs: number;
  readonly periodMs?: number;
  readonly fn: () => void;
}

/** `startMs`: where the wall clock stands first, milliseconds since the epoch. */
export function createFakeClock(startMs: number): FakeClock {
  let wallMs = startMs;
  let monotonicMs = 0;
  const timers = new Set<Timer>();
  let waiters: { readonly count: number; readonly resolve: () => void }[] = [];

  function add(timer: Timer): () => void {
    timers.add(timer);
    const ready = waiters.filter((waiter) => timers.size >= waiter.count);
    waiters = waiters.filter((waiter) => !ready.includes(waiter));
    for (const waiter of ready) waiter.resolve();
    return () => {
      timers.delete(timer);
    };
  }

  function earliest(untilMs: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (timer.atMs <= untilMs && (first === undefined || timer.atMs < first.atMs)) first = timer;
    }
    return first;
  }

  function moveTo(toMs: number): void {
    wallMs += toMs - monotonicMs;
    monotonicMs = toMs;
  }

  return {
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    setTimer: (delayMs, fn) => add({ atMs: monotonicMs + Math.max(0, delayMs), fn }),
    setEvery: (periodMs, fn) => add({ atMs: monotonicMs + periodMs, periodMs, fn }),
    advance(ms) {
      const untilMs = monotonicMs + ms;
      for (let timer = earliest(untilMs); timer; timer = earliest(untilMs)) {
        moveTo(Math.max(monotonicMs, timer.atMs));
        if (timer.periodMs === undefined) timers.delete(timer);
        else timer.atMs += timer.periodMs;
        timer.fn();
      }
      moveTo(untilMs);
    },
    jump(ms) {
      wallMs += ms;
    },
    pendingTimers: () => timers.size,
    waitForTimers: (count) =>
      timers.size >= count ? Promise.resolve() : new Promise((resolve) => waiters.push({ count, resolve })),
  };
}
