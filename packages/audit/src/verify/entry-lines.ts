import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readLine } from '../entry.ts';
import { type AuditFiles, firstEntryOf } from '../log/layout.ts';
import type { EntryLine } from './types.ts';

/** Longest line that is read as one, characters; a longer one is no entry. */
const LONGEST_LINE = 16 * 1024 * 1024;

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
    const rest = yield* splitLines(createReadStream(join(dir, name), { encoding: 'latin1' }));
    if (rest === '') continue;
    if (name === entryFiles.at(-1)) state.isTorn = true;
    else yield rest;
  }
  return undefined;
}

async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<string, string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > LONGEST_LINE) {
      yield rest;
      rest = '';
    }
  }
  return rest;
}
