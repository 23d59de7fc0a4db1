import { nodeHash, sameHash } from './hashing.ts';

/** What is proved to be in a tree. */
export interface Inclusion {
  /** Of the entry, from 0. */
  readonly index: number;
  readonly leaf: Uint8Array;
  /** Entries of the tree. */
  readonly size: number;
  readonly root: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** Whether `proof` leads from the entry to the root (RFC 9162, 2.1.3.2). */
export function isIncluded({ index, leaf, size, root, proof }: Inclusion): boolean {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  let [at, last] = [index, size - 1];
  let hash = leaf;
  for (const other of proof) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      hash = nodeHash(other, hash);
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      hash = nodeHash(hash, other);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && sameHash(hash, root);
}

/** Two states of one tree. */
export interface Consistency {
  readonly earlier: number;
  readonly earlierRoot: Uint8Array;
  readonly size: number;
  readonly root: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** Whether `proof` shows that the tree only grew (RFC 9162, 2.1.4.2). Every tree begins with the empty one. */
export function isConsistent({ earlier, earlierRoot, size, root, proof }: Consistency): boolean {
  if (!isCount(earlier) || !isCount(size) || earlier > size) return false;
  if (earlier === size) return proof.length === 0 && sameHash(earlierRoot, root);
  if (earlier === 0) return proof.length === 0;
  const isFull = Number.isInteger(Math.log2(earlier));
  const [first, ...path] = isFull ? [earlierRoot, ...proof] : proof;
  if (first === undefined) return false;
  let [at, last] = [earlier - 1, size - 1];
  while (isOdd(at)) [at, last] = [half(at), half(last)];
  let [old, hash] = [first, first];
  for (const other of path) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      old = nodeHash(other, old);
      hash = nodeHash(other, hash);
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      hash = nodeHash(hash, other);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && sameHash(old, earlierRoot) && sameHash(hash, root);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isOdd(value: number): boolean {
  return value % 2 === 1;
}

function half(value: number): number {
  return Math.floor(value / 2);
}
