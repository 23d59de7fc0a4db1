import { type Clock, nodeIdFromBase32, sha256Hex } from '@writ/core';

/** A node id, the same one for the same label. For tests of this package only. */
export function testId(label: string): string {
  return nodeIdFromBase32(
    sha256Hex(label)
      .slice(0, 32)
      .replace(/[0189]/g, (digit) => 'wxyz'.charAt(+digit % 4)),
  );
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
