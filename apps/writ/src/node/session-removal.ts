import { sessionRules } from '@writ/authority';
import { nextTurn } from '@writ/core';
import type { ReadTx } from '@writ/database';
import type { SessionKey } from '@writ/lease-store';
import type { Foundations } from './foundations.ts';

/** Sessions that one transaction looks at. */
const PAGE = 200;

/** Removes sessions of which nothing is left, page by page; returns how many. */
export async function removeSessions(
  { database, stores, engine, identity }: Foundations,
  signal: AbortSignal,
): Promise<number> {
  const rules = {
    limit: PAGE,
    rulesOf: ({ origin, session }: SessionKey) => sessionRules(identity.public.id, origin, session),
    isNamed: (tx: ReadTx, { session }: SessionKey) => stores.removals.hasSession(tx, session),
  };
  let after: SessionKey | undefined;
  let removed = 0;
  while (!signal.aborted) {
    const openBeforeMs = database.nowMs() - engine.snapshot().config.storage.keepTasksMs;
    const page = database.withWriteTx(
      ({ forRemoval }) => forRemoval && stores.sessions.prune(forRemoval, { ...rules, after, openBeforeMs }),
    );
    if (page === undefined) break;
    removed += page.removed;
    after = page.next;
    if (after === undefined) break;
    await nextTurn();
  }
  return removed;
}
