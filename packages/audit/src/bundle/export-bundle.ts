import { nextTurn, WritError } from '@writ/core';
import { lineOf, rowHash } from '../entry.ts';
import type { AuditRows } from '../log/audit-rows.ts';
import type { AuditFiles } from '../log/layout.ts';
import { withHashes } from '../log/read-log.ts';
import { consistencyProof, subtreesBetween } from '../merkle/proofs.ts';
import { readCheckpoint, type SignedCheckpoint } from '../note/checkpoint.ts';
import type { Signers } from '../note/signers.ts';
import { missingHashes } from './missing-hashes.ts';
import { formatBundleEntry, formatHead } from './read-bundle.ts';
import { BUNDLE_FORMAT, BUNDLE_VERSION, type BundleHead } from './types.ts';

/** Rows that are read at once. */
const PAGE = 256;

/** What is to go into a bundle. */
export interface ExportWish {
  /** First and last entry; absent: from the first, to the last that is signed. */
  readonly from?: number;
  readonly to?: number;
  /** An earlier checkpoint: the bundle holds what came after it, and proves that the log only grew since. */
  readonly since?: string;
}

export interface ExportSource {
  readonly rows: AuditRows;
  readonly files: AuditFiles;
  readonly signers: Signers;
  readonly checkpoint: SignedCheckpoint;
}

/** The lines of a bundle, without their line breaks. Throws BAD_REQUEST and NOT_FOUND for what is not there to export. */
export async function* exportBundle(source: ExportSource, wish: ExportWish): AsyncGenerator<string> {
  const range = rangeOf(source, wish);
  yield formatHead(await headOf(source, range));
  for (let seq = range.from; seq <= range.to; ) {
    const page = source.rows.auditAfter(seq - 1, Math.min(PAGE, range.to - seq + 1));
    for (const row of page) {
      if (row.seq !== seq) break;
      yield formatBundleEntry(hex(rowHash(row)), lineOf(row));
      seq++;
    }
    if (page[0] === undefined || page.at(-1)?.seq !== seq - 1) {
      throw new WritError('EVIDENCE_INVALID', `row ${seq} is missing`, { nextSteps: ['writ audit verify'] });
    }
    await nextTurn();
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly since: number | undefined;
}

function rangeOf({ checkpoint, signers }: ExportSource, { from, to, since }: ExportWish): Range {
  const { size } = checkpoint;
  const earlier = since === undefined ? undefined : readCheckpoint(since);
  if (since !== undefined && earlier === undefined) {
    throw new WritError('BAD_REQUEST', 'what was given as the earlier checkpoint is none', {
      nextSteps: ['give a copy of the file `checkpoint` in the folder `audit` of this node'],
    });
  }
  if (earlier !== undefined && (earlier.origin !== signers.id || earlier.size > size)) {
    const why =
      earlier.origin === signers.id
        ? `it counts ${earlier.size} entries, and ${size} are signed`
        : 'it is of another node';
    throw new WritError('EVIDENCE_INVALID', `the log did not begin with the earlier checkpoint: ${why}`, {
      nextSteps: ['writ audit verify --checkpoint FILE'],
    });
  }
  const first = from ?? (earlier?.size ?? 0) + 1;
  const range = { from: first, to: to ?? Math.max(size, first - 1), since: earlier?.size };
  // Nothing new since the earlier checkpoint is an answer: a bundle without entries.
  const isEmpty = range.from === size + 1 && range.to === size && earlier !== undefined;
  if (!isEmpty && (range.from < 1 || range.from > range.to || range.to > size)) {
    throw new WritError('NOT_FOUND', `there are no entries ${range.from} to ${range.to}: 1 to ${size} are signed`, {
      nextSteps: [size === 0 ? 'start the node: writ up' : `writ audit export --from 1 --to ${size}`],
    });
  }
  return range;
}

function headOf({ files, signers, checkpoint }: ExportSource, { from, to, since }: Range): Promise<BundleHead> {
  return withHashes(files, async (read) => {
    if (read === undefined) throw missingHashes();
    const hashes = async (after: number, end: number): Promise<readonly string[]> =>
      (await subtreesBetween(read, after, end)).map(({ hash }) => hex(hash));
    return {
      ...{ format: BUNDLE_FORMAT, version: BUNDLE_VERSION, node: signers.id, from, to, checkpoint: checkpoint.note },
      certificates: [signers.identityDer, ...signers.keys.map(({ signingDer }) => signingDer)].map((der) =>
        Buffer.from(der).toString('base64'),
      ),
      before: await hashes(0, from - 1),
      after: await hashes(to, checkpoint.size),
      ...(since === undefined
        ? {}
        : { since: { size: since, proof: (await consistencyProof(read, since, checkpoint.size)).map(hex) } }),
    };
  });
}

function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
