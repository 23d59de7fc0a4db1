import { type Clock, sha256Hex } from '@writ/core';

/** A node id in shape, the same one for the same label. For tests of this package only. */
export function testId(label: string): string {
  const digits = sha256Hex(label).replace(/[^a-f2-7]/g, '');
  return `wn-${digits.slice(0, 32)}`;
}

/** Id of the node that decides in tests. */
export const SELF_ID = testId('the deciding node');

/** A clock that stands still. */
export function fixedClock(): Clock {
  return {
    nowMs: () => 1_700_000_000_000,
    monotonicMs: () => 0,
    setTimer: () => () => undefined,
    setEvery: () => () => undefined,
  };
}
