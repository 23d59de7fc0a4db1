import { nextTurn } from '@writ/core';
import type { Foundations } from './foundations.ts';

/** Invites that one transaction removes. */
const PAGE = 200;

/** Removes invites that were used, or expired, as long ago as everything is kept, page by page; returns how many. */
export async function removeInvites({ database, stores }: Foundations, signal: AbortSignal): Promise<number> {
  let removed = 0;
  while (!signal.aborted) {
    const some = database.withWriteTx(({ forRemoval }) => (forRemoval ? stores.invites.prune(forRemoval, PAGE) : 0));
    removed += some;
    if (some < PAGE) break;
    await nextTurn();
  }
  return removed;
}
