import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readLine } from '../entry.ts';
import { linesOf } from '../lines.ts';
import { type AuditFiles, firstEntryOf } from '../log/layout.ts';
import type { EntryLine } from './types.ts';

/** The lines of all files of entries, one behind the other, with a look ahead. */
export interface EntryLines {
  /** The next line, or with 1 the one behind it; undefined: there is none. */
  peek(ahead: 0 | 1): Promise<EntryLine | undefined>;
  take(): void;
  /** Whether the last file ends in the middle of a line. */
  isTorn(): boolean;
  close(): Promise<void>;
}

export function createEntryLines(files: Pick<AuditFiles, 'dir'>): EntryLines {
  const state = { isTorn: false };
  const source = readFiles(files.dir, state);
  const waiting: EntryLine[] = [];
  let isOver = false;
  return {
    async peek(ahead) {
      while (!isOver && waiting.length <= ahead) {
        const { done, value } = await source.next();
        if (done === true) isOver = true;
        else waiting.push({ text: value, row: readLine(value) });
      }
      return waiting[ahead];
    },
    take() {
      waiting.shift();
    },
    isTorn: () => state.isTorn,
    async close() {
      await source.return(undefined);
    },
  };
}

async function* readFiles(dir: string, state: { isTorn: boolean }): AsyncGenerator<string, undefined> {
  const names = await readdir(dir).catch(() => []);
  const entryFiles = names.filter((name) => firstEntryOf(name) !== undefined).toSorted();
  for (const name of entryFiles) {
    // Each byte a character: what is no ASCII stays what it is, and is no line of this program's.
    const lines = linesOf(createReadStream(join(dir, name), { encoding: 'latin1' }));
    let before: string | undefined;
    for await (const line of lines) {
      if (before !== undefined) yield textOf(before);
      before = line;
    }
    if (before === undefined) continue;
    if (before.endsWith('\n') || name !== entryFiles.at(-1)) yield textOf(before);
    else state.isTorn = true;
  }
  return undefined;
}

function textOf(line: string): string {
  return line.endsWith('\n') ? line.slice(0, -1) : line;
}
