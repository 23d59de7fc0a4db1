import { levelsBetween, rootOf, type Subtree } from './frontier.ts';

/** Gives the hash of the `index`-th full subtree of 2^`level` entries. */
export type HashReader = (level: number, index: number) => Promise<Uint8Array>;

/** The full subtrees over the entries from `from` up to, not including, `to`; both as `levelsBetween` takes them. */
export async function subtreesBetween(read: HashReader, from: number, to: number): Promise<readonly Subtree[]> {
  const subtrees: Subtree[] = [];
  let at = from;
  for (const level of levelsBetween(from, to)) {
    subtrees.push({ level, hash: await read(level, at / 2 ** level) });
    at += 2 ** level;
  }
  return subtrees;
}

/** The root of the first `size` entries. */
export async function rootAt(read: HashReader, size: number): Promise<Uint8Array> {
  return rangeHash(read, 0, size);
}

/**
 * Proves that entry `index` (from 0) is in the tree of `size` entries: PATH of RFC 6962, 2.1.1. Throws RangeError where it
 * is not.
 */
export async function inclusionProof(read: HashReader, index: number, size: number): Promise<readonly Uint8Array[]> {
  if (!(index >= 0 && index < size)) throw new RangeError(`a tree of ${size} has no entry ${index}`);
  const path: Uint8Array[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      path.unshift(await rangeHash(read, middle, to));
      to = middle;
    } else {
      path.unshift(await rangeHash(read, from, middle));
      from = middle;
    }
  }
  return path;
}

/**
 * Proves that the tree of `size` entries began with that of `earlier`: PROOF of RFC 6962, 2.1.2. Empty where they are the
 * same, or the earlier one is. Throws RangeError where the earlier one is larger.
 */
export async function consistencyProof(
  read: HashReader,
  earlier: number,
  size: number,
): Promise<readonly Uint8Array[]> {
  if (!(earlier >= 0 && earlier <= size))
    throw new RangeError(`a tree of ${size} does not begin with one of ${earlier}`);
  if (earlier === 0 || earlier === size) return [];
  const path: Uint8Array[] = [];
  let [from, to] = [0, size];
  while (to !== earlier) {
    const middle = from + splitOf(to - from);
    if (earlier <= middle) {
      path.unshift(await rangeHash(read, middle, to));
      to = middle;
    } else {
      path.unshift(await rangeHash(read, from, middle));
      from = middle;
    }
  }
  // What the verifier has already, as the earlier root, is left out.
  return from === 0 ? path : [await rangeHash(read, from, to), ...path];
}

async function rangeHash(read: HashReader, from: number, to: number): Promise<Uint8Array> {
  return rootOf(await subtreesBetween(read, from, to));
}

/** The largest power of two below `size`. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}
