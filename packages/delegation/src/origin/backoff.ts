import type { Random } from '@writ/core';

const FIRST_MS = 100;
const LONGEST_MS = 30_000;

/** How long to wait after the `failures`-th failure in a row: doubling from 100 ms to 30 s, half of it by chance. */
export function backoffMs(failures: number, random: Random): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 20));
  return most / 2 + random.int(Math.floor(most / 2) + 1);
}
