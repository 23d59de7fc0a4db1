import type { StorageRules, WorkspaceEnd } from './types.ts';

/** What is looked at to decide what may go. */
export interface Keepable {
  readonly end: WorkspaceEnd;
  readonly bytes: number;
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
 * What may go now: whatever has had its time, then the oldest until all fits into the budget beside `otherBytes`.
 * Unbundled work is never in it, so that what is left may still be too much.
 */
export function dueForRemoval<T extends Keepable>(
  kept: readonly T[],
  rules: StorageRules,
  nowMs: number,
  otherBytes: number,
): readonly T[] {
  const removable = kept.filter(({ end }) => end.unbundled === 'none').sort((a, b) => a.end.atMs - b.end.atMs);
  const due = new Set(removable.filter(({ end }) => (dueAtMs(end, rules) ?? 0) <= nowMs));
  let bytes = otherBytes + kept.reduce((sum, one) => (due.has(one) ? sum : sum + one.bytes), 0);
  for (const one of removable) {
    if (bytes <= rules.budgetBytes) break;
    if (due.has(one)) continue;
    due.add(one);
    bytes -= one.bytes;
  }
  return [...due];
}
