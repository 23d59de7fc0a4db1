import { type Clock, untilRung } from '@writ/core';
import { setWallAlarm } from './wall-alarm.ts';

/** Resolves when the wall clock has reached `untilMs`, however long the machine slept meanwhile, or when `signal` aborts. */
export function pauseUntil(clock: Clock, untilMs: number, signal: AbortSignal): Promise<void> {
  return untilRung((ring) => setWallAlarm({ clock, nowMs: clock.nowMs, whenMs: () => untilMs }, ring), signal);
}
