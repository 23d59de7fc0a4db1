import type { Cancel, Clock } from '@writ/core';
import { setWallAlarm } from './wall-alarm.ts';

/** Resolves after `delayMs`, or at once when `signal` aborts. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return until((ring) => clock.setTimer(delayMs, ring), signal);
}

/** Resolves when the wall clock has reached `untilMs`, however long the machine slept meanwhile, or when `signal` aborts. */
export function pauseUntil(clock: Clock, untilMs: number, signal: AbortSignal): Promise<void> {
  return until((ring) => setWallAlarm({ clock, nowMs: clock.nowMs, whenMs: () => untilMs }, ring), signal);
}

function until(arm: (ring: () => void) => Cancel, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    let disarm: Cancel = () => {};
    const done = (): void => {
      disarm();
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    disarm = arm(done);
  });
}
