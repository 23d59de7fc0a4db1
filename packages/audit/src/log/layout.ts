import { join } from 'node:path';

/** Entries of one file. Part of the format: with another number other files would come out of the same rows. */
const ENTRIES_PER_FILE = 10_000;

/** Where the files of an audit log lie. */
export interface AuditFiles {
  /** Folder, mode 0700. */
  readonly dir: string;
  /** The newest checkpoint alone, to be copied elsewhere. */
  readonly checkpoint: string;
  /** Every checkpoint, oldest first. */
  readonly checkpoints: string;
  /** Hashes of all full subtrees (`placeOf`). */
  readonly hashes: string;
  /** Certificates of the node's identity and signing keys, PEM. */
  readonly signers: string;
  readonly entriesPerFile: number;
}

/** The files in `dir`; `entriesPerFile` is another than the usual number in tests only. */
export function auditFiles(dir: string, entriesPerFile: number = ENTRIES_PER_FILE): AuditFiles {
  return {
    dir,
    checkpoint: join(dir, 'checkpoint'),
    checkpoints: join(dir, 'checkpoints'),
    hashes: join(dir, 'hashes'),
    signers: join(dir, 'signers.pem'),
    entriesPerFile,
  };
}

const ENTRY_FILE = /^entries-(\d{10})\.jsonl$/;

/** The file that holds entry `seq` (from 1), and the number of the first entry in it. */
export function entryFile(files: AuditFiles, seq: number): { readonly path: string; readonly first: number } {
  const first = seq - ((seq - 1) % files.entriesPerFile);
  return { path: join(files.dir, `entries-${String(first).padStart(10, '0')}.jsonl`), first };
}

/** Number of the first entry of the file with this name; undefined where it is no file of entries. */
export function firstEntryOf(name: string): number | undefined {
  const [, first] = ENTRY_FILE.exec(name) ?? [];
  return first === undefined ? undefined : Number(first);
}
