import type { Cancel, Clock } from './clock.ts';

/** Resolves after `delayMs` milliseconds, or at once when `signal` aborts. */
export function pause(clock: Pick<Clock, 'setTimer'>, delayMs: number, signal?: AbortSignal): Promise<void> {
  return untilRung((ring) => clock.setTimer(delayMs, ring), signal);
}

/** Resolves when what `arm` sets calls `ring`, or when `signal` aborts, which cancels it. */
export function untilRung(arm: (ring: () => void) => Cancel, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    let disarm: Cancel = () => {};
    const done = (): void => {
      disarm();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    signal?.addEventListener('abort', done, { once: true });
    disarm = arm(done);
  });
}
