import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { quote } from '@writ/core';
import { diverged } from './diverged.ts';
import { type AuditFiles, entryFile } from './layout.ts';
import { openPositional, type PositionalFile } from './positional-file.ts';

/** Puts lines of entries behind each other, one file after the other. */
export interface EntryWriter {
  /**
   * Writes the lines of entry `seq` and those behind it. Where lines stand already they have to be the same: throws what
   * `diverged` makes where they are not. After any other error nothing counts as written, and the same can be tried again.
   */
  write(seq: number, lines: readonly string[]): Promise<void>;
  /** Throws what `diverged` makes where a whole line stands behind entry `last`. */
  refuseMore(last: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** One file that is written to. */
interface Open {
  readonly file: PositionalFile;
  readonly path: string;
  /** Where the next line goes, bytes. */
  end: number;
  /** Where the lines end that stood here already, bytes. */
  readonly foundEnd: number;
}

const LINE_BREAK = 0x0a;

/** Continues behind entry `size`; undefined where the lines up to there are not there any more. */
export async function openEntryWriter(files: AuditFiles, size: number): Promise<EntryWriter | undefined> {
  const { path, first } = entryFile(files, size + 1);
  const before = size + 1 - first;
  const opened = before > 0 && !(await exists(path)) ? undefined : await openAt(path, before);
  if (opened === undefined) return undefined;
  let open = opened;
  const writer: EntryWriter = {
    async write(seq, lines) {
      const place = entryFile(files, seq);
      if (place.path !== open.path) {
        await open.file.sync();
        await open.file.close();
        open = (await openAt(place.path, 0)) ?? open;
      }
      const here = lines.slice(0, place.first + files.entriesPerFile - seq);
      const bytes = Buffer.from(here.map((line) => `${line}\n`).join(''));
      await refuseOther(open, bytes, seq, files);
      await open.file.write(open.end, bytes);
      open.end += bytes.length;
      if (here.length < lines.length) await writer.write(seq + here.length, lines.slice(here.length));
    },
    async refuseMore(last) {
      const next = entryFile(files, last + 1).path;
      const more = next === open.path ? open.foundEnd > open.end : await exists(next);
      if (more) throw diverged(`its files hold entry ${last + 1}, and the rows end with ${last}`, files.dir, last + 1);
    },
    sync: () => open.file.sync(),
    close: () => open.file.close(),
  };
  return writer;
}

/** Opens a file behind its first `lines` lines; undefined where it has fewer. Half a line at its end is taken away. */
async function openAt(path: string, lines: number): Promise<Open | undefined> {
  const file = await openPositional(path, 'write');
  try {
    const bytes = await file.read(0, await file.sizeBytes());
    const foundEnd = bytes.lastIndexOf(LINE_BREAK) + 1;
    if (foundEnd < bytes.length) await file.truncate(foundEnd);
    let end = 0;
    for (let left = lines; left > 0; left--) {
      end = bytes.indexOf(LINE_BREAK, end) + 1;
      if (end === 0) {
        await file.close();
        return undefined;
      }
    }
    return { file, path, end, foundEnd };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** What a node that was killed left behind is overwritten by the same; what is not the same was put there by somebody. */
async function refuseOther(open: Open, bytes: Buffer, seq: number, { dir }: AuditFiles): Promise<void> {
  if (open.end >= open.foundEnd) return;
  const found = await open.file.read(open.end, Math.min(bytes.length, open.foundEnd - open.end));
  if (found.equals(bytes.subarray(0, found.length))) return;
  let at = 0;
  let entry = seq;
  for (; found[at] === bytes[at]; at++) if (found[at] === LINE_BREAK) entry++;
  throw diverged(`entry ${entry} in ${quote(basename(open.path))} is another than the row`, dir, entry);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
