import { createHash } from 'node:crypto';

/** Bytes of one hash. */
export const HASH_BYTES = 32;

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** The hash of one entry's bytes (RFC 6962, 2.1): 32 bytes. */
export function leafHash(data: Uint8Array | string): Uint8Array {
  return createHash('sha256').update(LEAF).update(data).digest();
}

/** The hash of two subtrees (RFC 6962, 2.1): 32 bytes. The prefix keeps it from ever being taken for a leaf's. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/** The root of a tree without entries. */
export function emptyRoot(): Uint8Array {
  return createHash('sha256').digest();
}

/** Whether two hashes are the same. They are public: no need to take the same time. */
export function sameHash(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
