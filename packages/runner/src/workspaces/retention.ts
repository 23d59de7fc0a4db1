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
 * What may go now: whatever has had its time, then what cannot be counted and the oldest, until all fits into the budget
 * beside `otherBytes`. Unbundled work is never in it, so that what is left may still be too much.
 */
export function dueForRemoval<T extends Keepable>(
  kept: readonly T[],
  rules: StorageRules,
  nowMs: number,
  otherBytes: number,
): readonly T[] {
  const removable = kept.filter(({ end }) => end.unbundled === 'none').sort(byTurn);
  const due = new Set(removable.filter(({ end }) => (dueAtMs(end, rules) ?? 0) <= nowMs));
  const left = kept.filter((one) => !due.has(one));
  let bytes = otherBytes + countedBytes(left, rules);
  for (const one of removable) {
    if (bytes <= rules.budgetBytes) break;
    if (due.has(one)) continue;
    due.add(one);
    bytes -= one.bytes;
  }
  return [...due];
}

/** Nobody else's goes for one that cannot be counted. */
function byTurn(a: Keepable, b: Keepable): number {
  const isCounted = ({ bytes }: Keepable): number => Number(bytes < UNCOUNTED_BYTES);
  return isCounted(a) - isCounted(b) || a.end.atMs - b.end.atMs;
}

/** What counts towards the budget, bytes: of work of one sender that nothing removes its share at most. */
export function countedBytes(kept: readonly Keepable[], rules: StorageRules): number {
  const removable = kept.reduce((sum, { bytes, end }) => (end.unbundled === 'none' ? sum + bytes : sum), 0);
  return heldBySender(kept, rules).reduce((sum, { bytes, shareBytes }) => sum + Math.min(bytes, shareBytes), removable);
}

/** At most so much of the budget is for work of one sender that nothing removes: what is left is for all others. */
const LARGEST_SHARE = 0.5;

/**
 * Work that is kept nowhere else, sender by sender. An equal share of the budget each, of half of it at most: whoever
 * fills its own takes no room from others, and all together take no more than the budget, but for what they had begun.
 */
export function heldBySender(kept: readonly Keepable[], { budgetBytes }: StorageRules): readonly HeldWork[] {
  const bySender = new Map<string, number>();
  for (const { record, bytes, end } of kept) {
    const sender = record?.sender ?? '';
    if (end.unbundled !== 'none') bySender.set(sender, (bySender.get(sender) ?? 0) + bytes);
  }
  const shareBytes = Math.floor(budgetBytes * Math.min(LARGEST_SHARE, 1 / bySender.size));
  return [...bySender].map(([sender, bytes]) => ({ sender, bytes, shareBytes }));
}
