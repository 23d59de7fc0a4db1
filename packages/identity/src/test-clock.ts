import { type Clock, createSystemClock } from '@writ/core';

/** A clock whose wall time a test sets; everything else is the machine's. */
export interface TestClock extends Clock {
  nowAtMs: number;
}

/** Starts at the machine's time, because TLS looks at that. */
export function createTestClock(): TestClock {
  const system = createSystemClock();
  return {
    ...system,
    nowAtMs: system.nowMs(),
    nowMs() {
      return this.nowAtMs;
    },
  };
}
