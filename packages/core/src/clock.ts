/** Stops a timer or an interval; calling it twice is harmless. */
export type Cancel = () => void;

/**
 * Where time comes from. Every component that needs time takes one as a constructor argument,
 * so that tests can own it.
 */
export interface Clock {
  /** Wall clock, milliseconds since the Unix epoch. May jump. */
  nowMs(): number;
  /** Monotonic, milliseconds since an arbitrary start. Never jumps; use it for durations. */
  monotonicMs(): number;
  /** Calls `fn` once after `delayMs`. The timer does not keep the process alive. */
  setTimer(delayMs: number, fn: () => void): Cancel;
  /** Calls `fn` every `periodMs` until cancelled. The timer does not keep the process alive. */
  setEvery(periodMs: number, fn: () => void): Cancel;
}

/** Longest delay a Node.js timer accepts, milliseconds; longer ones are taken in steps. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own clock. */
export function createSystemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    monotonicMs() {
      // `performance` would do, but a program that asks it once has loaded all that it measures.
      const [seconds, nanoseconds] = process.hrtime();
      return seconds * 1000 + nanoseconds / 1e6;
    },
    setTimer(delayMs, fn) {
      let timer: NodeJS.Timeout;
      const arm = (leftMs: number): void => {
        const stepMs = Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS);
        timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : fn()), stepMs);
        timer.unref();
      };
      arm(delayMs);
      return () => clearTimeout(timer);
    },
    setEvery(periodMs, fn) {
      const timer = setInterval(fn, periodMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

/** Resolves when everything that is ready to run has had its turn, input and output included. For long computations. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Resolves after `delayMs`; keeps the process alive meanwhile, unlike a `Clock`'s timers. For programs that wait. */
export function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
