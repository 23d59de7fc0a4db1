import { UNCOUNTED_BYTES } from '@writ/core';
import type { HeldWork, StorageRules, WorkspaceEnd, WorkspaceRecord } from './types.ts';

/** What is looked at to decide what may go. */
export interface Keepable {
  readonly end: WorkspaceEnd;
  readonly bytes: number;
  readonly record?: Pick<WorkspaceRecord, 'sender'>;
}

/** How long a workspace is kept from its end, milliseconds; undefined: not at all. */
export function lifeOf({ state }: Pick<WorkspaceEnd, 'state'>, rules: StorageRules): number | undefined {
  if (state === 'done') return rules.doneMs;
  return state === 'failed' ? rules.failedMs : rules.orphanedMs;
}

/** When a workspace may go; undefined: never by itself. */
export function dueAtMs(end: WorkspaceEnd, rules: StorageRules): number | undefined {
  // INVARIANT: 10 work that is kept nowhere else is removed by a person or not at all.
  if (end.unbundled !== 'none') return undefined;
  return end.atMs + (lifeOf(end, rules) ?? 0);
}

/**
 * What may go now: whatever has had its time, then, until all fits into the budget beside `otherBytes`, the oldest of whoever
 * is furthest over an equal share. So nothing goes before its time of a sender that keeps to its share, whatever others
 * fill. Unbundled work is never in it, so that what is left may still be too much.
 */
export function dueForRemoval<T extends Keepable>(
  kept: readonly T[],
  rules: StorageRules,
  nowMs: number,
  otherBytes: number,
): readonly T[] {
  const due = kept.filter(({ end }) => (dueAtMs(end, rules) ?? Number.POSITIVE_INFINITY) <= nowMs);
  const budgetBytes = Math.max(0, rules.budgetBytes - otherBytes);
  const gone = new Set(due);
  let left = kept.filter((one) => !gone.has(one));
  for (;;) {
    const uses = usesOf(left, budgetBytes);
    const [furthest] = uses.filter(({ removable }) => removable.length > 0).sort((a, b) => b.bytes - a.bytes);
    const first = furthest?.removable[0];
    if (first === undefined || countOf(uses) <= budgetBytes) break;
    due.push(first);
    left = left.filter((one) => one !== first);
  }
  return due;
}

/** What one sender takes of the budget. */
interface Use<T> {
  readonly sender: string;
  /** All of it that counts. */
  readonly bytes: number;
  /** Work that nothing removes, bytes, counted or not. */
  readonly heldBytes: number;
  readonly shareBytes: number;
  /** The rest, in the order in which it goes. */
  readonly removable: readonly T[];
}

/** At most so much of the budget is for work of one sender that nothing removes: what is left is for all others. */
const LARGEST_SHARE = 0.5;

/** An equal share of the budget for each sender of anything that is kept, of half of it at most. */
function usesOf<T extends Keepable>(kept: readonly T[], budgetBytes: number): readonly Use<T>[] {
  const bySender = new Map<string, T[]>();
  for (const one of kept) {
    const sender = one.record?.sender ?? '';
    const ones = bySender.get(sender) ?? [];
    ones.push(one);
    bySender.set(sender, ones);
  }
  const shareBytes = Math.floor(budgetBytes * Math.min(LARGEST_SHARE, 1 / bySender.size));
  return [...bySender].map(([sender, ones]) => {
    const removable = ones.filter(({ end }) => end.unbundled === 'none').sort(byTurn);
    const heldBytes = bytesOf(ones) - bytesOf(removable);
    const bytes = Math.min(heldBytes, shareBytes) + bytesOf(removable);
    return { sender, bytes, heldBytes, shareBytes, removable };
  });
}

/** What cannot be counted goes first, then the oldest. */
function byTurn(a: Keepable, b: Keepable): number {
  const isCounted = ({ bytes }: Keepable): number => Number(bytes < UNCOUNTED_BYTES);
  return isCounted(a) - isCounted(b) || a.end.atMs - b.end.atMs;
}

function bytesOf(kept: readonly Keepable[]): number {
  return kept.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** What counts towards the budget, bytes: of work of one sender that nothing removes its share at most. */
export function countedBytes(kept: readonly Keepable[], { budgetBytes }: StorageRules): number {
  return countOf(usesOf(kept, budgetBytes));
}

function countOf(uses: readonly Use<Keepable>[]): number {
  return uses.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Work that is kept nowhere else, sender by sender, and the share of each: whoever fills its own takes no room from others,
 * and all together take no more than the budget, but for what they had begun.
 */
export function heldBySender(kept: readonly Keepable[], { budgetBytes }: StorageRules): readonly HeldWork[] {
  return usesOf(kept, budgetBytes)
    .filter(({ heldBytes }) => heldBytes > 0)
    .map(({ sender, heldBytes, shareBytes }) => ({ sender, bytes: heldBytes, shareBytes }));
}
