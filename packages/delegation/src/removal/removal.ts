import { pause } from '@writ/core';
import type { RemovalTx, WriteTx } from '@writ/database';
import type { EndedPart, RemovalRules, RemovedRow, TaskPart } from '@writ/task-store';
import { clearLeftovers } from './clearing.ts';
import type { AuthorityRecords, Removal, RemovalOptions, RemovedCounts, Sweep } from './types.ts';

/** So many are looked at in one read, and so many of them removed in one transaction, each with some ten rows. */
const LOOKED_AT = 200;
const REMOVED_AT_ONCE = 20;
/** Everybody else's turn between two transactions, milliseconds. */
const BREATH_MS = 10;

/**
 * Removes tasks, and what this node asked of others, that ended longer ago than they are kept, and everything that belongs
 * to them. Children go before what handed them on.
 */
export function createRemoval(options: RemovalOptions): Removal {
  const closing = new AbortController();
  const { signal } = closing;
  const sweep: Sweep = { ...options, signal, breathe: () => pause(options.clock, BREATH_MS, signal) };
  let sweeping: Promise<RemovedCounts> | undefined;
  return {
    sweep() {
      sweeping ??= sweepOnce(sweep).finally(() => {
        sweeping = undefined;
      });
      return sweeping;
    },
    async close() {
      closing.abort();
      await sweeping?.catch(() => {});
    },
  };
}

async function sweepOnce(sweep: Sweep): Promise<RemovedCounts> {
  const { database, rules, held, signal } = sweep;
  const nothing = { tasks: 0, mirrors: 0 };
  if (signal.aborted || !database.isTimeBelieved()) return nothing;
  const { keepMs, peers } = rules();
  const now = { beforeMs: database.nowMs() - keepMs, peers: peers.map((peer) => peer.toLowerCase()) };
  const isHeld = heldBy(await held());
  const mirrors = await removeAll(sweep, 'mirror', now, isHeld);
  const tasks = await removeAll(sweep, 'task', now, isHeld);
  await clearLeftovers(sweep);
  return { mirrors, tasks };
}

/** A mirror of a task that this node asked of itself is held with it. */
function heldBy(held: ReadonlySet<string> | 'all'): (one: EndedPart) => boolean {
  if (held === 'all') return ({ part, peer }) => part === 'task' || peer === 'self';
  return ({ id }) => held.has(id);
}

async function removeAll(
  sweep: Sweep,
  part: TaskPart,
  rules: RemovalRules,
  isHeld: ReturnType<typeof heldBy>,
): Promise<number> {
  const { database, removals, signal } = sweep;
  let place = { endedAtMs: 0, n: 0 };
  let removed = 0;
  while (!signal.aborted) {
    const page = database.withReadTx((tx) => removals.walk(tx, part, rules, place, LOOKED_AT));
    const last = page.at(-1);
    if (last === undefined) break;
    place = last;
    const free = page.filter((one) => one.isFree && !isHeld(one));
    for (let at = 0; at < free.length && !signal.aborted; at += REMOVED_AT_ONCE) {
      const some = free.slice(at, at + REMOVED_AT_ONCE);
      removed += database.withWriteTx(({ forRemoval: tx }) =>
        tx === undefined ? 0 : some.filter(({ id }) => removeOne(sweep, tx, part, id, rules)).length,
      );
      await sweep.breathe();
    }
    if (free.length === 0) await sweep.breathe();
  }
  return removed;
}

/** With what authority keeps of it, in one transaction. False where it stays. */
function removeOne(
  { removals, authority, self }: Sweep,
  tx: RemovalTx,
  part: TaskPart,
  id: string,
  rules: RemovalRules,
): boolean {
  if (part === 'task' && authority.isAsked(tx, id)) return false;
  const removed = removals.remove(tx, part, id, rules);
  if (removed === undefined) return false;
  if (part === 'task') authority.dropToken(tx, id);
  else holdSession(authority, tx, { origin: self, ...removed });
  return true;
}

/** Whoever was asked in a session hears of its end all the same. */
function holdSession(
  { sessions }: AuthorityRecords,
  tx: WriteTx,
  { origin, session, peer }: RemovedRow & { readonly origin: string },
): void {
  const key = { origin, session };
  const known = sessions.get(tx, key);
  if (peer !== 'self' && known !== undefined && known.endedAtMs === undefined) sessions.hold(tx, key, peer);
}
