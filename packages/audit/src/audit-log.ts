import { toWritError, WritError } from '@writ/core';
import type { AuditTrail } from '@writ/database';
import { type ExportWish, exportBundle } from './bundle/export-bundle.ts';
import type { AuditFiles } from './log/layout.ts';
import { readLogSigners, readNotes } from './log/read-log.ts';
import { readCheckpoint, type SignedCheckpoint } from './note/checkpoint.ts';
import { checkSignature, type Signers } from './note/signers.ts';
import { type ShownEntry, showEntry } from './show-entry.ts';
import type { VerifyReport } from './verify/types.ts';
import { verifyLog } from './verify/verify-log.ts';

/** What can be asked of an audit log, beside a running node or inside it. */
export interface AuditLog {
  /** Throws NOT_FOUND, and EVIDENCE_INVALID where the entry is not what the newest checkpoint counts. */
  show(seq: number): Promise<ShownEntry>;
  /** `kept`: texts of checkpoints that were kept elsewhere; `progress` is told how many entries were looked at. */
  verify(kept: readonly string[], progress: (entries: number) => void, signal: AbortSignal): Promise<VerifyReport>;
  /** The lines of a bundle. Throws BAD_REQUEST, NOT_FOUND, EVIDENCE_INVALID. */
  export(wish: ExportWish): AsyncIterable<string>;
}

export interface AuditLogOptions {
  readonly rows: AuditTrail;
  readonly files: AuditFiles;
  /** Self-signed certificate of the node, DER. */
  readonly identityDer: Uint8Array;
  /** Writes and signs what is not yet, where somebody does; throws what keeps it from that. */
  readonly settle: () => Promise<void>;
}

export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { rows, files, settle } = options;
  const signersNow = (): Promise<Signers> => readLogSigners(files, options.identityDer);
  return {
    async show(seq) {
      // Without its proof it is shown too.
      await settle().catch(() => undefined);
      return showEntry({ rows, files, checkpoint: await newestOf(files, await signersNow()) }, seq);
    },
    async verify(kept, progress, signal) {
      const failure = await settle().then(() => undefined, toWritError);
      const report = await verifyLog({ rows, files, signers: await signersNow(), kept, progress, signal });
      if (failure === undefined) return report;
      return { ...report, notes: [...report.notes, `the node does not write its log: ${failure.message}`] };
    },
    async *export(wish) {
      await settle();
      const signers = await signersNow();
      const checkpoint = await newestOf(files, signers);
      if (checkpoint === undefined) {
        throw new WritError('NOT_FOUND', 'nothing is signed yet: there is nothing to export', {
          nextSteps: ['start the node: writ up', 'writ audit verify'],
        });
      }
      yield* exportBundle({ rows, files, signers, checkpoint }, wish);
    },
  };
}

/** The newest checkpoint that the node signed; others are nobody's proof. */
async function newestOf(files: AuditFiles, signers: Signers): Promise<SignedCheckpoint | undefined> {
  const { notes } = await readNotes(files);
  for (const note of notes.toReversed()) {
    const checkpoint = readCheckpoint(note);
    if (checkpoint !== undefined && checkSignature(signers, checkpoint) === undefined) return checkpoint;
  }
  return undefined;
}
