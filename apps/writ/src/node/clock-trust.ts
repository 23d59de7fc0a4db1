import type { Clock } from '@writ/core';

const DAY_MS = 86_400_000;
/** A step forward that a clock may have taken by mistake. */
const JUMP_MS = 7 * DAY_MS;
/** How long a node runs on after such a step before it removes anything by its time: long enough for somebody to see it. */
const SETTLED_MS = DAY_MS;

/**
 * Whether the time may be believed by whoever removes what cannot be brought back: not for a day after the wall clock was further
 * ahead of the time that has passed than a week. `lastSeenMs`: when something last happened before this start; a node that was off
 * for long is not told apart from one whose clock is wrong.
 */
export function createClockTrust(
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
  lastSeenMs: number | undefined,
): () => boolean {
  let seen = { wallMs: lastSeenMs ?? clock.nowMs(), awakeMs: clock.monotonicMs() };
  let settledAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const now = { wallMs: clock.nowMs(), awakeMs: clock.monotonicMs() };
    const aheadMs = now.wallMs - seen.wallMs - (now.awakeMs - seen.awakeMs);
    if (aheadMs > JUMP_MS) settledAtMs = now.awakeMs + SETTLED_MS;
    seen = now;
    return now.awakeMs >= settledAtMs;
  };
}
