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
 * fill. Unbundled work is never in it, so that what is left may still be too much. Its work grows with what is kept, times
 * the senders of it at most.
 */
export function dueForRemoval<T extends Keepable>(
  kept: readonly T[],
  rules: StorageRules,
  nowMs: number,
  otherBytes: number,
): readonly T[] {
  const isDue = ({ end }: T): boolean => (dueAtMs(end, rules) ?? Number.POSITIVE_INFINITY) <= nowMs;
  const due = kept.filter(isDue);
  const sharing = shareOut(
    kept.filter((one) => !isDue(one)),
    rules,
    otherBytes,
  );
  while (countOf(sharing) > sharing.roomBytes) {
    const first = takeFurthest(sharing);
    if (first === undefined) break;
    due.push(first);
  }
  return due;
}

/** What one sender takes of the budget. */
interface Use<T> {
  readonly sender: string;
  /** Work that nothing removes, bytes. */
  readonly heldBytes: number;
  /** All else, bytes. */
  removableBytes: number;
  /** That, the next to go last. */
  readonly removable: T[];
}

/** How what is kept shares the budget. What decides and what is told are read from this alone. */
interface Sharing<T> {
  /** What all of them may take together. */
  readonly roomBytes: number;
  /** What one of them may. */
  shareBytes: number;
  uses: readonly Use<T>[];
}

/** At most so much of the budget is for work of one sender that nothing removes: what is left is for all others. */
const LARGEST_SHARE = 0.5;

/** An equal share of the budget for each sender of anything that is kept, of half of it at most. */
function shareOut<T extends Keepable>(
  kept: readonly T[],
  { budgetBytes }: Pick<StorageRules, 'budgetBytes'>,
  otherBytes: number,
): Sharing<T> {
  const bySender = new Map<string, T[]>();
  for (const one of kept) {
    const sender = one.record?.sender ?? '';
    const ones = bySender.get(sender) ?? [];
    ones.push(one);
    bySender.set(sender, ones);
  }
  const uses = [...bySender].map(([sender, ones]): Use<T> => {
    const removable = ones.filter(({ end }) => end.unbundled === 'none').sort((a, b) => byTurn(b, a));
    const removableBytes = bytesOf(removable);
    return { sender, heldBytes: bytesOf(ones) - removableBytes, removableBytes, removable };
  });
  const roomBytes = Math.max(0, budgetBytes - otherBytes);
  return { roomBytes, shareBytes: shareFor(uses.length, roomBytes), uses };
}

function shareFor(senders: number, roomBytes: number): number {
  return Math.floor(roomBytes * Math.min(LARGEST_SHARE, 1 / senders));
}

/** Takes out what goes first; undefined where nothing may. */
function takeFurthest<T extends Keepable>(sharing: Sharing<T>): T | undefined {
  let furthest: Use<T> | undefined;
  for (const use of sharing.uses) {
    const isFurther = furthest === undefined || countFor(use, sharing) > countFor(furthest, sharing);
    if (use.removable.length > 0 && isFurther) furthest = use;
  }
  const first = furthest?.removable.pop();
  if (furthest === undefined || first === undefined) return undefined;
  furthest.removableBytes -= first.bytes;
  // Whoever has nothing left leaves its share to the others.
  if (furthest.removable.length === 0 && furthest.heldBytes === 0) {
    sharing.uses = sharing.uses.filter((use) => use !== furthest);
    sharing.shareBytes = shareFor(sharing.uses.length, sharing.roomBytes);
  }
  return first;
}

/** What cannot be counted goes first, then the oldest. */
function byTurn(a: Keepable, b: Keepable): number {
  const isCounted = ({ bytes }: Keepable): number => Number(bytes < UNCOUNTED_BYTES);
  return isCounted(a) - isCounted(b) || a.end.atMs - b.end.atMs;
}

function bytesOf(kept: readonly Keepable[]): number {
  return kept.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Of work of one sender that nothing removes, its share at most counts. */
function countFor({ heldBytes, removableBytes }: Use<Keepable>, { shareBytes }: Sharing<Keepable>): number {
  return Math.min(heldBytes, shareBytes) + removableBytes;
}

function countOf(sharing: Sharing<Keepable>): number {
  return sharing.uses.reduce((sum, use) => sum + countFor(use, sharing), 0);
}

/** What counts towards the budget beside `otherBytes`, bytes: of work of one sender that nothing removes its share at most. */
export function countedBytes(kept: readonly Keepable[], rules: StorageRules, otherBytes: number): number {
  return countOf(shareOut(kept, rules, otherBytes));
}

/**
 * Work that is kept nowhere else, sender by sender, and the share of each: whoever fills its own takes no room from others,
 * and all together take no more than the budget beside `otherBytes`, but for what they had begun.
 */
export function heldBySender(kept: readonly Keepable[], rules: StorageRules, otherBytes: number): readonly HeldWork[] {
  const { uses, shareBytes } = shareOut(kept, rules, otherBytes);
  return uses
    .filter(({ heldBytes }) => heldBytes > 0)
    .map(({ sender, heldBytes }) => ({ sender, bytes: heldBytes, shareBytes }));
}
