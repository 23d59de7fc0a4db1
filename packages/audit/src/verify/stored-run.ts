import type { PositionalFile } from '../log/positional-file.ts';
import { HASH_BYTES } from '../merkle/hashing.ts';
import { storedCount } from '../merkle/stored-hashes.ts';

/** Hashes that are read at once. */
const CHUNK = 2048;

/** The stored hashes, entry after entry. */
export interface StoredRun {
  /** What entry `seq` appended, its own hash first; undefined: the file ends before. */
  take(seq: number): Promise<readonly Uint8Array[] | undefined>;
}

/** `file` undefined: there are none. */
export function createStoredRun(file: Pick<PositionalFile, 'read'> | undefined): StoredRun {
  let chunk: Buffer = Buffer.alloc(0);
  let from = 0;
  return {
    async take(seq) {
      if (file === undefined) return undefined;
      const [first, end] = [storedCount(seq - 1), storedCount(seq)];
      if (first < from || end > from + chunk.length / HASH_BYTES) {
        chunk = await file.read(first * HASH_BYTES, CHUNK * HASH_BYTES);
        from = first;
      }
      const bytes = chunk.subarray((first - from) * HASH_BYTES, (end - from) * HASH_BYTES);
      if (bytes.length < (end - first) * HASH_BYTES) return undefined;
      return Array.from({ length: end - first }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
    },
  };
}
