import { readFile } from 'node:fs/promises';
import { hasErrno, readPrivateFile } from '@writ/core';
import type { HashReader } from '../merkle/proofs.ts';
import { splitNotes } from '../note/signed-note.ts';
import { createSigners, readSigners, type Signers } from '../note/signers.ts';
import { createHashReader } from './hash-reader.ts';
import type { AuditFiles } from './layout.ts';
import { openPositional, type PositionalFile } from './positional-file.ts';

/** The checkpoints of a log as its files have them; nothing about them is checked. */
export interface KeptNotes {
  /** Oldest first. */
  readonly notes: readonly string[];
  /** Whether the last one is only half written. */
  readonly isTorn: boolean;
}

/** Every checkpoint that the folder holds, the one to be copied included. */
export async function readNotes(files: AuditFiles): Promise<KeptNotes> {
  const { notes, rest } = splitNotes((await readPrivateFile(files.checkpoints)) ?? '');
  const single = (await readPrivateFile(files.checkpoint)) ?? '';
  // The two differ by one where a node was killed in between.
  const alone = single === '' || notes.includes(single) ? [] : [single];
  return { notes: [...notes, ...alone], isTorn: rest !== '' };
}

/** The keys of a log's checkpoints, as far as they are certified by the identity that the reader knows. */
export async function readLogSigners(files: AuditFiles, identityDer: Uint8Array): Promise<Signers> {
  const kept = readSigners(await readFile(files.signers, 'utf8').catch(() => ''));
  return createSigners(identityDer, kept?.keys.map(({ signingDer }) => signingDer) ?? []);
}

/** Hashes of a log, read while `use` lasts; undefined in the place of a reader: there is no file of them. */
export async function withHashes<T>(
  files: AuditFiles,
  use: (read: HashReader | undefined, file: PositionalFile | undefined) => Promise<T>,
): Promise<T> {
  const file = await openPositional(files.hashes, 'read').catch((error: unknown) => {
    if (hasErrno(error, 'ENOENT')) return undefined;
    throw error;
  });
  try {
    return await use(file && createHashReader(file), file);
  } finally {
    await file?.close();
  }
}
