import { readResult } from './read-result.ts';
import type { Result } from './result-schema.ts';

/** Most envelopes that are kept with what was read from them, bytes: those of a large result and of some that are nested in it. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * `readResult` that remembers the last results by the digests of their envelopes: whoever fetches a thousand artifacts has the same
 * one read for each piece of each of them, and a large one takes the better part of a second. Kept is an envelope that is the same to the byte.
 */
export function createResultReader(mostBytes = MOST_BYTES): (sha256: string, envelope: Uint8Array) => Result {
  const kept = new Map<string, { readonly envelope: Uint8Array; readonly result: Result }>();
  let bytes = 0;
  const forget = (sha256: string): void => {
    bytes -= kept.get(sha256)?.envelope.length ?? 0;
    kept.delete(sha256);
  };
  return (sha256, envelope) => {
    const known = kept.get(sha256);
    const isSame = known !== undefined && Buffer.compare(known.envelope, envelope) === 0;
    const result = isSame ? known.result : readResult(envelope);
    // The last one that was asked for goes last.
    forget(sha256);
    if (envelope.length <= mostBytes) {
      kept.set(sha256, { envelope, result });
      bytes += envelope.length;
    }
    for (const oldest of kept.keys()) {
      if (bytes <= mostBytes) break;
      forget(oldest);
    }
    return result;
  };
}
