import { createReadStream, readFileSync, statSync } from 'node:fs';
import { linesOf, verifyBundle } from '@writ/audit';
import { quote, WritError } from '@writ/core';
import { viewReport } from '@writ/gateway/client';
import type { AuditReport } from './source.ts';

/** Longest file of checkpoints that is read, bytes. */
const LONGEST_NOTES = 1_000_000;

/** The text of a checkpoint that was kept elsewhere. Throws BAD_REQUEST for a file that cannot be one. */
export function readCheckpointFile(path: string): string {
  refuseOther(path);
  if (statSync(path).size > LONGEST_NOTES) {
    throw new WritError('BAD_REQUEST', `${quote(path)} is too long for a checkpoint`, {
      nextSteps: ['writ audit export --only-checkpoint > FILE'],
    });
  }
  return readFileSync(path, 'utf8');
}

/** Verifies a bundle in a file. Throws BAD_REQUEST for what is none. */
export async function verifyBundleFile(path: string, kept: readonly string[]): Promise<AuditReport> {
  refuseOther(path);
  return viewReport(await verifyBundle(linesOf(createReadStream(path, 'utf8')), kept));
}

function refuseOther(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return;
  throw new WritError(
    'BAD_REQUEST',
    found === undefined ? `there is no file ${quote(path)}` : `${quote(path)} is no file`,
    {
      nextSteps: [
        'make a bundle: writ audit export --output FILE',
        'or a checkpoint: writ audit export --only-checkpoint > FILE',
      ],
    },
  );
}
