import type { Clock } from '@writ/core';

export { CASE_SELF_ID as SELF_ID, caseNodeId as testId } from '../cases/case-ids.ts';

/** A clock that stands still. For tests of this package only. */
export function fixedClock(): Clock {
  return {
    nowMs: () => 1_700_000_000_000,
    monotonicMs: () => 0,
    setTimer: () => () => undefined,
    setEvery: () => () => undefined,
  };
}
