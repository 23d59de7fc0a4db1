import type { Cancel, Clock } from '@writ/core';

/**
 * Longest between two looks at the wall clock, milliseconds. A timer counts time that the machine was awake: one that
 * slept, or whose clock was set, is noticed at the next look and not when the timer would have rung.
 */
const LOOK_MS = 5_000;

/** What an alarm is set by. */
export interface WallAlarm {
  readonly clock: Pick<Clock, 'setTimer'>;
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** When it rings; asked again at each look. Infinity: not yet known. */
  readonly whenMs: () => number;
}

/** Calls `ring` once when the wall clock reaches a time, also where it jumps over it. Returns how to stop. */
export function setWallAlarm({ clock, nowMs, whenMs }: WallAlarm, ring: () => void): Cancel {
  let disarm: Cancel = () => {};
  const look = (): void => {
    const leftMs = whenMs() - nowMs();
    if (leftMs <= 0) ring();
    else disarm = clock.setTimer(Math.min(leftMs, LOOK_MS), look);
  };
  look();
  return () => disarm();
}
