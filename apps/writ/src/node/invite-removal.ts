import { nextTurn } from '@writ/core';
import type { Foundations } from './foundations.ts';

/** Invites that one transaction removes. */
const PAGE = 200;

/** Removes invites that were used, or expired, as long ago as everything is kept, page by page; returns how many. */
export async function removeInvites({ database, stores }: Foundations, signal: AbortSignal): Promise<number> {
  let removed = 0;
  // Until the clock is accepted nobody knows how long ago anything was.
  while (!signal.aborted && !database.clockIsBackwards()) {
    const some = database.withWriteTx((tx) => stores.invites.prune(tx, PAGE));
    removed += some;
    if (some < PAGE) break;
    await nextTurn();
  }
  return removed;
}
