import { nextTurn } from '@writ/core';
import type { SessionKey } from '@writ/lease-store';
import type { Foundations } from './foundations.ts';

/** Sessions that one transaction looks at. */
const PAGE = 200;

/** Removes sessions of which nothing is left, page by page; returns how many. */
export async function removeSessions(
  { database, stores, engine, identity }: Foundations,
  signal: AbortSignal,
): Promise<number> {
  let after: SessionKey | undefined;
  let removed = 0;
  // Until the clock is accepted nobody knows how long ago anything was.
  while (!signal.aborted && !database.clockIsBackwards()) {
    const openBeforeMs = database.nowMs() - engine.snapshot().config.storage.keepTasksMs;
    const order = { after, self: identity.public.id, openBeforeMs, limit: PAGE };
    const page = database.withWriteTx((tx) => stores.sessions.prune(tx, order));
    removed += page.removed;
    after = page.next;
    if (after === undefined) break;
    await nextTurn();
  }
  return removed;
}
