import type { Clock } from '@writ/core';

/** Resolves after `delayMs`, or at once when `signal` aborts. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      disarm();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const disarm = clock.setTimer(delayMs, done);
    signal.addEventListener('abort', done, { once: true });
  });
}
