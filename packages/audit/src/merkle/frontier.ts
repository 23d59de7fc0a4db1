import { emptyRoot, nodeHash } from './hashing.ts';

/** A subtree that is full: 2^`level` entries under one hash. */
export interface Subtree {
  readonly level: number;
  readonly hash: Uint8Array;
}

/** What a tree needs to remember to grow: its full subtrees from left to right, each smaller than the one before. */
export interface Frontier {
  /** Entries so far. */
  readonly size: number;
  /**
   * Puts a full subtree on the right; returns every hash that came to be, its own first. Throws RangeError for one that
   * does not fit there.
   */
  push(subtree: Subtree): readonly Uint8Array[];
  /** The root of the tree of this size. */
  root(): Uint8Array;
  /** Left to right. */
  subtrees(): readonly Subtree[];
}

/** A tree that begins with `subtrees`, left to right; none: an empty one. */
export function createFrontier(subtrees: readonly Subtree[] = []): Frontier {
  const stack: Subtree[] = [];
  let size = 0;
  const push: Frontier['push'] = (subtree) => {
    const entries = 2 ** subtree.level;
    if (size % entries !== 0) throw new RangeError(`no subtree of ${entries} entries can begin behind entry ${size}`);
    let { level, hash } = subtree;
    const made = [hash];
    for (let left = stack.at(-1); left?.level === level; left = stack.at(-1)) {
      stack.pop();
      hash = nodeHash(left.hash, hash);
      level += 1;
      made.push(hash);
    }
    stack.push({ level, hash });
    size += entries;
    return made;
  };
  for (const subtree of subtrees) push(subtree);
  return {
    get size() {
      return size;
    },
    push,
    root: () => rootOf(stack),
    subtrees: () => [...stack],
  };
}

/** The one hash over neighbouring full subtrees. */
export function rootOf(subtrees: readonly Subtree[]): Uint8Array {
  const last = subtrees.at(-1);
  if (last === undefined) return emptyRoot();
  return subtrees.slice(0, -1).reduceRight((right, { hash }) => nodeHash(hash, right), last.hash);
}

/** The levels of the full subtrees that cover the entries from `from` up to, not including, `to`, left to right. */
export function levelsBetween(from: number, to: number): readonly number[] {
  const levels: number[] = [];
  for (let at = from; at < to; ) {
    let level = 0;
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= to) level += 1;
    levels.push(level);
    at += 2 ** level;
  }
  return levels;
}
