import { WritError } from '@writ/core';
import { HASH_BYTES } from '../merkle/hashing.ts';
import type { HashReader } from '../merkle/proofs.ts';
import { placeOf } from '../merkle/stored-hashes.ts';
import type { PositionalFile } from './positional-file.ts';

/** Reads single hashes of a file of them. Throws EVIDENCE_INVALID for one that is not there. */
export function createHashReader(file: Pick<PositionalFile, 'read'>): HashReader {
  return async (level, index) => {
    const bytes = await file.read(placeOf(level, index) * HASH_BYTES, HASH_BYTES);
    if (bytes.length === HASH_BYTES) return bytes;
    throw new WritError('EVIDENCE_INVALID', 'the file of hashes is shorter than the log', {
      nextSteps: ['see what else differs: writ audit verify', 'start the node: what is missing is written anew'],
    });
  };
}
