import { WritError } from '@writ/core';
import type { AuditRow } from '@writ/database';
import { missingHashes } from './bundle/missing-hashes.ts';
import { rowHash } from './entry.ts';
import type { AuditRows } from './log/audit-rows.ts';
import type { AuditFiles } from './log/layout.ts';
import { withHashes } from './log/read-log.ts';
import { isIncluded } from './merkle/check-proofs.ts';
import { inclusionProof } from './merkle/proofs.ts';
import type { SignedCheckpoint } from './note/checkpoint.ts';

/** An entry, and the proof that a checkpoint counts it. */
export interface ShownEntry {
  readonly row: AuditRow;
  /** Its hash as a leaf, hex. */
  readonly leaf: string;
  /** Absent: no checkpoint counts it yet. */
  readonly proof?: {
    /** From 0. */
    readonly index: number;
    readonly size: number;
    /** From the leaf upwards, hex. */
    readonly hashes: readonly string[];
    /** The signed note. */
    readonly checkpoint: string;
  };
}

/** Shows entry `seq`. Throws NOT_FOUND, and EVIDENCE_INVALID where it is not what the checkpoint counts. */
export async function showEntry(
  {
    rows,
    files,
    checkpoint,
  }: { readonly rows: AuditRows; readonly files: AuditFiles; readonly checkpoint: SignedCheckpoint | undefined },
  seq: number,
): Promise<ShownEntry> {
  const [row] = rows.auditAfter(seq - 1, 1);
  if (row?.seq !== seq) {
    const end = rows.auditEnd();
    if (seq <= end) {
      throw new WritError('EVIDENCE_INVALID', `row ${seq} is missing`, { nextSteps: ['writ audit verify'] });
    }
    throw new WritError('NOT_FOUND', `there is no entry ${seq}: the newest is ${end}`, {
      nextSteps: ['writ audit tail --no-follow'],
    });
  }
  const leaf = rowHash(row);
  const shown = { row, leaf: hex(leaf) };
  if (checkpoint === undefined || checkpoint.size < seq) return shown;
  const { size, root } = checkpoint;
  const proof = await withHashes(files, (read) => {
    if (read === undefined) throw missingHashes();
    return inclusionProof(read, seq - 1, size);
  });
  if (!isIncluded({ index: seq - 1, leaf, size, root, proof })) {
    throw new WritError('EVIDENCE_INVALID', `entry ${seq} is not what the newest checkpoint counts`, {
      details: { entry: seq },
      nextSteps: ['see what was changed: writ audit verify'],
    });
  }
  return { ...shown, proof: { index: seq - 1, size, hashes: proof.map(hex), checkpoint: checkpoint.note } };
}

/** A proof in the form of https://c2sp.org/tlog-proof. */
export function proofText({ index, hashes, checkpoint }: NonNullable<ShownEntry['proof']>): string {
  const lines = hashes.map((hash) => `${Buffer.from(hash, 'hex').toString('base64')}\n`).join('');
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${lines}\n${checkpoint}`;
}

function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
