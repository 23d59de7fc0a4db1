import type { EvidenceKit } from '@writ/delegation';
import { RESULT_LISTS } from '@writ/evidence';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/**
 * How much the evidence of one task may take. The same at both ends: what a node signs is what its peer takes. A task
 * that passes one of them ends `EVIDENCE_FAILED` where it ran, a result that does so `EVIDENCE_INVALID` where it arrives.
 */
export const EVIDENCE_LIMITS: EvidenceKit['limits'] = {
  /** What a task leaves in its workspace; also what a working tree that is sent along may hold. */
  collect: {
    // A checkout with its dependencies installed; about ten seconds of looking.
    maxEntries: 1_000_000,
    // Each is a line of the signed result: about 250 bytes, so that the largest list fits into an envelope.
    maxChangedFiles: RESULT_LISTS.files,
    maxFileBytes: 512 * MIB,
    // Files that are ignored do not count.
    maxTotalBytes: 8 * GIB,
    // A binary patch is text and longer than the bundle of the same.
    maxPatchBytes: 512 * MIB,
    maxBundleBytes: 256 * MIB,
    timeoutMs: 300_000,
  },
  artifacts: {
    maxArtifacts: RESULT_LISTS.artifacts,
    // Copied as a stream: only the disk has to hold it.
    maxArtifactBytes: 2 * GIB,
    maxTotalBytes: 4 * GIB,
    maxEntries: 1_000_000,
    // 256 patterns of the usual kind over 100,000 files.
    maxSteps: 1_000_000_000,
  },
  /** What is unpacked from a bundle that came from elsewhere: a result, or inputs. */
  bundle: {
    // Read into memory as a whole.
    maxBundleBytes: 256 * MIB,
    maxObjects: 500_000,
    maxObjectBytes: 512 * MIB,
    // Eight times the bundle: text packs that well, a bomb packs a thousand times.
    maxUnpackedBytes: 2 * GIB,
    maxFiles: 1_000_000,
    timeoutMs: 300_000,
  },
  // Kept in the database: the list of changed files is nearly all of a large one. Reading one holds up everybody for half a second.
  maxEnvelopeBytes: 16 * MIB,
};
