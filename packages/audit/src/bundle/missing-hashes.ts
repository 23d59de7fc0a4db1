import { WritError } from '@writ/core';

/** The fault of a log that has no hashes to prove with. */
export function missingHashes(): WritError {
  return new WritError('EVIDENCE_INVALID', 'the file of hashes is gone', {
    nextSteps: ['see what else differs: writ audit verify', 'start the node: it is written anew from the rows'],
  });
}
