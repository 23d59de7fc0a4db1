import { type Clock, WritError } from '@writ/core';

/** Exchanges that strangers may begin in one minute, in all. */
const MOST_A_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Exchanges without a proof yet, at once. */
const MOST_AT_ONCE = 16;

/** Bounds what strangers can make this node do. */
export interface AttemptLimit {
  /** Takes a place and gives how to leave it (more than once is harmless); throws RATE_LIMITED where none is free. */
  enter(): () => void;
}

export function createAttemptLimit(clock: Clock): AttemptLimit {
  let begunAtMs: number[] = [];
  let inside = 0;
  return {
    enter() {
      const nowMs = clock.monotonicMs();
      begunAtMs = begunAtMs.filter((atMs) => nowMs - atMs < MINUTE_MS);
      if (inside >= MOST_AT_ONCE || begunAtMs.length >= MOST_A_MINUTE) {
        throw new WritError('RATE_LIMITED', 'too many attempts to pair with this node', {
          nextSteps: ['try again in a minute'],
        });
      }
      begunAtMs.push(nowMs);
      inside++;
      let isInside = true;
      return () => {
        if (isInside) inside--;
        isInside = false;
      };
    },
  };
}
