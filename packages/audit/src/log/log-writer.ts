import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assertPrivateFile, ensurePrivateDirectory, type Random } from '@writ/core';
import type { AuditRow } from '@writ/database';
import { lineOf, rowHash } from '../entry.ts';
import { createFrontier, type Frontier } from '../merkle/frontier.ts';
import { HASH_BYTES, sameHash } from '../merkle/hashing.ts';
import { type HashReader, subtreesBetween } from '../merkle/proofs.ts';
import { storedCount } from '../merkle/stored-hashes.ts';
import type { SignedCheckpoint } from '../note/checkpoint.ts';
import type { AuditRows } from './audit-rows.ts';
import { type CheckpointBook, type CheckpointSigner, openCheckpointBook } from './checkpoint-book.ts';
import { diverged } from './diverged.ts';
import { type EntryWriter, openEntryWriter } from './entry-writer.ts';
import { createHashReader } from './hash-reader.ts';
import type { AuditFiles } from './layout.ts';
import { openPositional, type PositionalFile } from './positional-file.ts';

/** The files of an audit log, as one that grows. After an error it is closed and opened anew. */
export interface LogWriter {
  /** Entries that are written. */
  readonly size: number;
  readonly newest: SignedCheckpoint | undefined;
  /**
   * Writes the rows behind entry `size`, with their hashes. Throws what `diverged` makes for rows that do not follow, or do
   * not fit what stands there or what was signed.
   */
  append(rows: readonly AuditRow[]): Promise<void>;
  /** Throws what `diverged` makes where more is written than there are rows. */
  refuseMore(): Promise<void>;
  /** Makes everything durable, then signs it; nothing to do where the newest checkpoint counts all. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

export interface LogOptions {
  readonly files: AuditFiles;
  readonly identity: CheckpointSigner;
  readonly random: Random;
  readonly rows: AuditRows;
}

/**
 * Opens the log behind its newest checkpoint: what is there was made durable before that was signed. What stands behind it
 * is written again from the rows, and has to be the same. Where something of it is gone everything is. Throws
 * HOME_INSECURE, and what `diverged` makes where the newest checkpoint does not fit rows or hashes.
 */
export async function openLogWriter(options: LogOptions): Promise<LogWriter> {
  const { files, rows } = options;
  ensurePrivateDirectory(files.dir);
  for (const name of await readdir(files.dir)) {
    // What was being replaced when its node was killed.
    if (name.endsWith('.tmp')) await rm(join(files.dir, name), { force: true });
    else assertPrivateFile(join(files.dir, name));
  }
  const book = await openCheckpointBook(options);
  const signed = book.newest?.size ?? 0;
  const end = rows.auditEnd();
  if (signed > end) {
    throw diverged(`a checkpoint counts ${signed} entries, and there are ${end} rows`, files.dir, end + 1);
  }
  const hashes = await openPositional(files.hashes, 'write');
  let entries: EntryWriter | undefined;
  try {
    const hasHashes = (await hashes.sizeBytes()) >= storedCount(signed) * HASH_BYTES;
    entries = hasHashes ? await openEntryWriter(files, signed) : undefined;
    if (entries !== undefined) {
      await refuseOtherRow(options, createHashReader(hashes), signed);
      const frontier = createFrontier(await subtreesBetween(createHashReader(hashes), 0, signed));
      return createLogWriter({ files, book, hashes, entries, frontier });
    }
    entries = await openEntryWriter(files, 0);
    if (entries === undefined) throw new Error('a file without lines cannot lack any');
    return createLogWriter({ files, book, hashes, entries, frontier: createFrontier() });
  } catch (error) {
    await entries?.close();
    await hashes.close();
    throw error;
  }
}

/** The last row that was signed is looked at before others follow it: a database may have been put back. */
async function refuseOtherRow({ rows, files }: LogOptions, read: HashReader, signed: number): Promise<void> {
  if (signed === 0) return;
  const [row] = rows.auditAfter(signed - 1, 1);
  if (row?.seq === signed && sameHash(rowHash(row), await read(0, signed - 1))) return;
  throw diverged(`row ${signed} is not the entry that was signed`, files.dir, signed);
}

interface WriterParts {
  readonly files: AuditFiles;
  readonly book: CheckpointBook;
  readonly hashes: PositionalFile;
  readonly entries: EntryWriter;
  readonly frontier: Frontier;
}

function createLogWriter({ files, book, hashes, entries, frontier: start }: WriterParts): LogWriter {
  let frontier = start;
  // INVARIANT: 10 what was signed once is what the rows still say, or nothing more is signed.
  refuseUnsigned(frontier, book.newest, files);
  return {
    get size() {
      return frontier.size;
    },
    get newest() {
      return book.newest;
    },
    async append(rows) {
      const grown = createFrontier(frontier.subtrees());
      const made: Uint8Array[] = [];
      for (const row of rows) {
        if (row.seq !== grown.size + 1) throw diverged(`row ${grown.size + 1} is missing`, files.dir, grown.size + 1);
        made.push(...grown.push({ level: 0, hash: rowHash(row) }));
        refuseUnsigned(grown, book.newest, files);
      }
      await entries.write(frontier.size + 1, rows.map(lineOf));
      await hashes.write(storedCount(frontier.size) * HASH_BYTES, Buffer.concat(made));
      frontier = grown;
    },
    refuseMore: () => entries.refuseMore(frontier.size),
    async checkpoint() {
      const state = { size: frontier.size, root: frontier.root() };
      if (state.size <= (book.newest?.size ?? 0)) return;
      await entries.sync();
      await hashes.sync();
      await book.add(state);
    },
    async close() {
      await entries.close();
      await hashes.close();
    },
  };
}

/** Throws what `diverged` makes where the tree has the size of the newest checkpoint, and another root. */
function refuseUnsigned(frontier: Frontier, newest: SignedCheckpoint | undefined, { dir }: AuditFiles): void {
  if (newest === undefined || newest.size !== frontier.size || sameHash(newest.root, frontier.root())) return;
  throw diverged(`the first ${newest.size} entries are not those that its newest checkpoint counts`, dir);
}
