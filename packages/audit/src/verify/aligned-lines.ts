import type { AuditFiles } from '../log/layout.ts';
import type { EntryLines } from './entry-lines.ts';
import type { Problems } from './problems.ts';
import type { EntryLine } from './types.ts';

/** Finds the line of each entry, whatever stands between the lines, and says what that is. */
export interface AlignedLines {
  /** The line in the place of entry `seq`; undefined: the file has none there. `end`: the largest number that is known. */
  lineFor(seq: number, end: number): Promise<EntryLine | undefined>;
  /** The entry has no line, as far as has been seen; `wanted` is what it would be. */
  noteMissing(seq: number, wanted: string | undefined): void;
  /** Whether there is a line still. */
  hasMore(): Promise<boolean>;
  /** Number of the last entry that has its line. */
  last(): number;
  /** Says what is missing for good; what is behind the last line and not signed is only not written yet. */
  finish(signed: number): void;
}

/** Entries without a line whose text is remembered, to be known again elsewhere. */
const MOST_REMEMBERED = 10_000;

export function createAlignedLines(lines: EntryLines, problems: Problems, files: AuditFiles): AlignedLines {
  const missing = new Map<number, string | undefined>();
  let last = 0;
  const nextSteps = [
    'the rows still hold what was written',
    `keep ${files.dir} as evidence and move it away: the next start writes the log anew from the rows`,
  ];
  const found = (line: EntryLine, seq: number): EntryLine => {
    lines.take();
    last = seq;
    return line;
  };
  const sayExtra = (line: EntryLine, seq: number): void => {
    const said = line.row?.seq;
    const about = { where: 'file', from: said ?? seq, nextSteps } as const;
    if (said === undefined) {
      problems.add({ ...about, kind: 'unreadable', message: 'a line in the file is no entry' });
    } else if (missing.has(said) && missing.get(said) === line.text) {
      missing.delete(said);
      problems.add({ ...about, kind: 'reordered', message: 'an entry stands at another place in the file' });
    } else if (said < seq) {
      problems.add({ ...about, kind: 'duplicate', message: 'an entry stands in the file more than once' });
    } else {
      problems.add({ ...about, kind: 'extra', message: 'the file holds an entry that there is no row for' });
    }
  };
  return {
    async lineFor(seq, end) {
      for (;;) {
        const line = await lines.peek(0);
        if (line === undefined) return undefined;
        const said = line.row?.seq;
        if (said === seq) return found(line, seq);
        const next = (await lines.peek(1))?.row?.seq;
        // Its neighbour is where it belongs, so this is the entry, with another number or none.
        if (next === seq + 1) return found(line, seq);
        if (said === undefined && seq === end && next === undefined) return found(line, seq);
        if (said !== undefined && said > seq && said <= end) return undefined;
        sayExtra(line, seq);
        lines.take();
      }
    },
    noteMissing(seq, wanted) {
      missing.set(seq, missing.size < MOST_REMEMBERED ? wanted : undefined);
    },
    hasMore: async () => (await lines.peek(0)) !== undefined,
    last: () => last,
    finish(signed) {
      for (const seq of missing.keys()) {
        if (seq > last && seq > signed) continue;
        const kind = seq > last ? 'cut' : 'missing';
        const message = seq > last ? 'the file ends before what a checkpoint counts' : 'the file lacks an entry';
        problems.add({ where: 'file', kind, from: seq, message, nextSteps });
      }
    },
  };
}
