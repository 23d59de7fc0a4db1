/**
 * Where the hash of a full subtree lies in a file that only grows: each entry appends its own hash, and behind it that of
 * every subtree which it fills. A tree of n entries is fewer than 2n hashes, and any proof needs only some of them.
 */

/** Place of the hash of the `index`-th subtree of 2^`level` entries, counted in hashes from the beginning. */
export function placeOf(level: number, index: number): number {
  // The last entry of that subtree; whatever is below it on the way up was written behind it.
  let entry = index;
  for (let below = 0; below < level; below++) entry = 2 * entry + 1;
  let place = level;
  for (let left = entry; left > 0; left = Math.floor(left / 2)) place += left;
  return place;
}

/** Hashes that a tree of `size` entries has appended. */
export function storedCount(size: number): number {
  let count = 0;
  for (let left = size; left > 0; left = Math.floor(left / 2)) count += left;
  return count;
}
