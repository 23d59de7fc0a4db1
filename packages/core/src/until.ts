import { parseDuration } from './units.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Where and when a person types. */
export interface TypedAt {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** IANA name, for example `Europe/Berlin`; throws RangeError for one that is none. */
  readonly timeZone: string;
}

/** Whether a span as people type it says at which moment it ends (`until 18:00`), whether or not there is such an hour. */
export function isUntil(text: string): boolean {
  return /^until\b/.test(text.trim());
}

/**
 * A span as people type it: `90m`, `8h`, `until 18:00` (the next time that the clock on the wall says so) → milliseconds;
 * undefined where it is none. An hour that a change of summer time leaves out is none; of one that it repeats, the first.
 */
export function parseSpan(text: string, at: TypedAt): number | undefined {
  const until = /^until\s+([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim());
  if (until === null) return parseDuration(text.trim());
  const wanted = Number(until[1]) * 60 + Number(until[2]);
  const wall = wallClock(at.timeZone);
  // As if the zone kept its offset until then.
  const firstMs = (Math.floor(at.nowMs / MINUTE_MS) + 1) * MINUTE_MS;
  const guessMs = firstMs + ((wanted - wall(firstMs) + 1440) % 1440) * MINUTE_MS;
  // It may not have: clocks are moved by half an hour, an hour or two, so that the time may also come back at once.
  const moved = [-120, -60, -30, 0, 30, 60, 120].map((minutes) => guessMs + minutes * MINUTE_MS);
  const endMs = [-DAY_MS, 0, DAY_MS]
    .flatMap((days) => moved.map((ms) => ms + days))
    .sort((a, b) => a - b)
    .find((ms) => ms > at.nowMs && wall(ms) === wanted);
  return endMs === undefined ? undefined : endMs - at.nowMs;
}

/** Minutes since midnight that a clock on the wall of a zone shows. */
function wallClock(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return (ms) => {
    const parts = format.formatToParts(ms);
    const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
    return part('hour') * 60 + part('minute');
  };
}
