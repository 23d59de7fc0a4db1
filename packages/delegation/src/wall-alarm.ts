import type { Cancel, Clock } from '@writ/core';

/**
 * Longest between two looks at the wall clock, milliseconds. A timer counts time that the machine was awake: one that
 * slept, or whose clock was set, is noticed at the next look and not when the timer would have rung.
 */
const LOOK_MS = 5_000;

/** What an alarm is set by. */
export interface WallAlarm {
  readonly clock: Pick<Clock, 'setTimer' | 'monotonicMs'>;
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** When it rings; asked again at each look. Infinity: not yet known. */
  readonly whenMs: () => number;
}

/**
 * Calls `ring` once when the wall clock reaches a time, also where it jumps over it, and at the latest when as much time as was
 * left has passed: a clock that is set back meanwhile puts nothing off. Returns how to stop.
 */
export function setWallAlarm({ clock, nowMs, whenMs }: WallAlarm, ring: () => void): Cancel {
  let disarm: Cancel = () => {};
  let set = { whenMs: Number.NaN, untilMs: Number.NaN };
  const look = (): void => {
    const atMs = whenMs();
    const awakeMs = clock.monotonicMs();
    const byWallMs = atMs - nowMs();
    if (atMs !== set.whenMs) set = { whenMs: atMs, untilMs: awakeMs + byWallMs };
    const leftMs = Math.min(byWallMs, set.untilMs - awakeMs);
    if (leftMs <= 0) ring();
    else disarm = clock.setTimer(Math.min(leftMs, LOOK_MS), look);
  };
  look();
  return () => disarm();
}
