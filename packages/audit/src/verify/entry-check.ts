import type { AuditRow } from '@writ/database';
import { lineOf, rowHash } from '../entry.ts';
import type { AuditFiles } from '../log/layout.ts';
import { createFrontier, type Frontier } from '../merkle/frontier.ts';
import { sameHash } from '../merkle/hashing.ts';
import type { Problems } from './problems.ts';
import type { StoredRun } from './stored-run.ts';
import type { EntryLine } from './types.ts';

/** Compares each entry in rows, file and hashes, and grows the trees of the rows. */
export interface EntryCheck {
  check(
    seq: number,
    row: AuditRow | undefined,
    line: EntryLine | undefined,
    ahead: AuditRow | undefined,
  ): Promise<void>;
  /** The root of the rows at each size that was asked for; none where rows were missing before. */
  readonly roots: ReadonlyMap<number, Uint8Array>;
  /** Entries whose row and line agree and whose hash is another: rows and file, or the hashes, were changed. */
  readonly doubtful: readonly number[];
}

export interface EntryCheckParts {
  readonly problems: Problems;
  readonly files: AuditFiles;
  readonly stored: StoredRun;
  /** Sizes at which a checkpoint was signed. */
  readonly sizes: ReadonlySet<number>;
}

export function createEntryCheck({ problems, files, stored, sizes }: EntryCheckParts): EntryCheck {
  const roots = new Map<number, Uint8Array>();
  const doubtful: number[] = [];
  // Undefined from the first missing row on: nothing behind it can be hashed.
  let tree: Frontier | undefined = createFrontier();
  let before: AuditRow | undefined;
  if (sizes.has(0)) roots.set(0, tree.root());
  return {
    roots,
    doubtful,
    async check(seq, row, line, ahead) {
      const hash = row && rowHash(row);
      const made = hash && tree?.push({ level: 0, hash });
      if (made === undefined) tree = undefined;
      if (tree !== undefined && sizes.has(seq)) roots.set(seq, tree.root());
      const kept = await stored.take(seq);
      if (row === undefined) {
        problems.add({
          ...lost(files),
          from: seq,
          message: line ? 'a row is missing' : 'a row is missing, and its line',
        });
      } else if (line !== undefined && line.text !== lineOf(row)) {
        problems.add({ ...differing({ row, line, before, ahead, kept: kept?.[0], files }), from: seq });
      } else if (hash !== undefined && kept?.[0] !== undefined && !sameHash(kept[0], hash)) {
        doubtful.push(seq);
      } else if (made && kept && !problems.between(0, seq) && doubtful.length === 0 && !isSame(made, kept)) {
        problems.add({ ...wrongHash(files), from: seq, message: 'a hash over more than one entry is another' });
      }
      before = row;
    },
  };
}

/** What stands in the file of hashes is derived. */
export function wrongHash({ dir }: AuditFiles) {
  const nextSteps = ['rows and checkpoints agree: only the derived hashes were changed', moveAway(dir)];
  return { where: 'hashes', kind: 'edited', nextSteps } as const;
}

/** What to do about a log whose rows are whole. */
export function moveAway(dir: string): string {
  return `keep ${dir} as evidence and move it away: the next start writes the log anew from the rows`;
}

/** What to do about rows that somebody changed. */
export function distrustRows(dir: string): readonly string[] {
  return [
    `keep the database and ${dir} as evidence: somebody who can write them changed what this node recorded`,
    'restore the database from a backup, or make a new node with `writ init` in another home',
  ];
}

function lost(files: AuditFiles) {
  return { where: 'rows', kind: 'missing', nextSteps: distrustRows(files.dir) } as const;
}

interface Differing {
  readonly row: AuditRow;
  readonly line: EntryLine;
  readonly before: AuditRow | undefined;
  readonly ahead: AuditRow | undefined;
  /** Hash of the entry as it was written. */
  readonly kept: Uint8Array | undefined;
  readonly files: AuditFiles;
}

/** Row and line differ: which of them is what was written, and in what. */
function differing({ row, line, before, ahead, kept, files }: Differing) {
  const isRow = kept !== undefined && sameHash(kept, rowHash(row));
  const isLine = kept !== undefined && line.row !== undefined && sameHash(kept, rowHash(line.row));
  const what = differenceOf(row, line.row, before, ahead);
  if (isRow) {
    const message = `an entry in the file is not what was written: ${what}`;
    return { where: 'file', kind: 'edited', message, nextSteps: [moveAway(files.dir)] } as const;
  }
  const message = isLine
    ? `a row is not what was written: ${what}`
    : `row and file differ, and its hash tells neither is what was written: ${what}`;
  return { where: 'rows', kind: 'edited', message, nextSteps: distrustRows(files.dir) } as const;
}

const FIELDS = ['seq', 'atMs', 'kind', 'action', 'actor', 'subject', 'details'] as const;

function differenceOf(
  row: AuditRow,
  said: AuditRow | undefined,
  before: AuditRow | undefined,
  ahead: AuditRow | undefined,
): string {
  if (said === undefined) return 'the line cannot be read';
  if (isSameBut(said, before)) return 'the file says there what the entry before it says';
  if (isSameBut(said, ahead)) return 'the file says there what the next entry says';
  const fields = FIELDS.filter((field) => JSON.stringify(row[field]) !== JSON.stringify(said[field]));
  return fields.length === 0 ? 'the line is spelled another way' : `they differ in ${fields.join(', ')}`;
}

/** Whether two rows are the same but for their numbers. */
function isSameBut(row: AuditRow, other: AuditRow | undefined): boolean {
  return other !== undefined && lineOf({ ...row, seq: 1 }) === lineOf({ ...other, seq: 1 });
}

function isSame(made: readonly Uint8Array[], kept: readonly Uint8Array[]): boolean {
  return made.every((hash, at) => kept[at] !== undefined && sameHash(hash, kept[at]));
}
