import type { AuditTrail } from '@writ/database';
import { lineOf } from '../entry.ts';
import type { AuditFiles } from '../log/layout.ts';
import { readNotes, withHashes } from '../log/read-log.ts';
import { HASH_BYTES } from '../merkle/hashing.ts';
import { storedCount } from '../merkle/stored-hashes.ts';
import { notesOf } from '../note/signed-note.ts';
import type { Signers } from '../note/signers.ts';
import { createAlignedLines } from './aligned-lines.ts';
import { checkKeptRoots, checkNotes, checkOwnRoots } from './checkpoint-check.ts';
import { createEntryCheck, distrustRows, type EntryCheck, moveAway, wrongHash } from './entry-check.ts';
import { createEntryLines } from './entry-lines.ts';
import { createProblems, type Problems } from './problems.ts';
import { createRowSource } from './row-source.ts';
import { createStoredRun } from './stored-run.ts';
import type { VerifyReport } from './types.ts';

export interface VerifyOptions {
  readonly rows: Pick<AuditTrail, 'auditAfter' | 'auditEnd' | 'auditIssued'>;
  readonly files: AuditFiles;
  readonly signers: Signers;
  /** Texts of checkpoints that were kept elsewhere, each with one or more. */
  readonly kept: readonly string[];
  /** Told how many entries have been looked at. */
  readonly progress: (entries: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Checks rows, files, hashes and checkpoints of a log against each other, in slices that leave room for other work. What
 * the rows gain meanwhile is looked at too. Throws what reading throws; what does not hold is in the report.
 */
export async function verifyLog(options: VerifyOptions): Promise<VerifyReport> {
  const { rows, files, signers } = options;
  const problems = createProblems();
  const { notes, isTorn } = await readNotes(files);
  const own = checkNotes(notes, signers, problems, 'checkpoint');
  const keptNotes = options.kept.flatMap(notesOf);
  const kept = checkNotes(keptNotes, signers, problems, 'kept-checkpoint');
  const sizes = new Set([...own.good, ...kept.good].map(({ size }) => size));
  const course = await withHashes(files, async (_, file) => {
    const hashBytes = await file?.sizeBytes();
    sayHashes(problems, files, hashBytes, own.signed);
    const entries = createEntryCheck({ problems, files, sizes, stored: createStoredRun(file) });
    return { ...(await walk(options, problems, entries, own.signed)), entries };
  });
  const end = course.rows;
  const { roots, doubtful } = course.entries;
  const issued = rows.auditIssued();
  if (issued > rows.auditEnd()) {
    const message = `the database gave out numbers up to ${issued}, and the rows end with ${end}`;
    problems.add({
      where: 'rows',
      kind: 'cut',
      from: end + 1,
      to: issued,
      message,
      nextSteps: distrustRows(files.dir),
    });
  }
  if (notes.length === 0 && course.written > 0) {
    const message = 'there is no checkpoint, and what is written is always signed soon';
    problems.add({ where: 'checkpoint', kind: 'missing', message, nextSteps: [moveAway(files.dir)] });
  }
  sayDoubtful(problems, files, doubtful, roots, own.good);
  const held = checkOwnRoots(own.good, { problems, files, roots, end });
  const checked = checkKeptRoots(kept.good, held, { problems, files, roots, end });
  return {
    ok: problems.list().length === 0,
    node: signers.id,
    rows: end,
    written: course.written,
    signed: own.signed,
    checkpoints: held.length,
    kept: checked,
    problems: problems.list(),
    more: problems.more(),
    notes: notesFor(course, isTorn),
  };
}

interface Course {
  readonly rows: number;
  readonly written: number;
  readonly isTorn: boolean;
}

/** Goes through rows, lines and hashes side by side. */
async function walk(
  { rows, files, progress, signal }: VerifyOptions,
  problems: Problems,
  entries: EntryCheck,
  signed: number,
): Promise<Course> {
  const lines = createEntryLines(files);
  const aligned = createAlignedLines(lines, problems, files);
  const source = createRowSource(rows, progress);
  try {
    let seq = 0;
    for (;;) {
      signal.throwIfAborted();
      const row = await source.take(seq + 1);
      const end = source.end();
      if (row === undefined && seq >= end && !(await aligned.hasMore())) break;
      const line = await aligned.lineFor(seq + 1, Math.max(end, seq + 1));
      if (row === undefined && seq >= end) {
        // Behind the last row there is nothing to compare a line with.
        if (line === undefined) continue;
        const message = 'the file holds an entry that there is no row for';
        problems.add({ where: 'rows', kind: 'cut', from: seq + 1, message, nextSteps: distrustRows(files.dir) });
        seq++;
        continue;
      }
      seq++;
      if (line === undefined) aligned.noteMissing(seq, row && lineOf(row));
      await entries.check(seq, row, line, source.ahead());
    }
    aligned.finish(signed);
    return { rows: source.end(), written: aligned.last(), isTorn: lines.isTorn() };
  } finally {
    await lines.close();
  }
}

function sayHashes(problems: Problems, files: AuditFiles, bytes: number | undefined, signed: number): void {
  const about = { where: 'hashes', nextSteps: [moveAway(files.dir)] } as const;
  if (bytes === undefined) {
    if (signed > 0) problems.add({ ...about, kind: 'missing', message: 'the file of hashes is gone' });
  } else if (bytes < storedCount(signed) * HASH_BYTES) {
    problems.add({ ...about, kind: 'cut', message: 'the file of hashes is shorter than what is signed' });
  }
}

/** Row and line agree, and the hash is another: the next checkpoint tells which of them was changed. */
function sayDoubtful(
  problems: Problems,
  files: AuditFiles,
  doubtful: readonly number[],
  roots: ReadonlyMap<number, Uint8Array>,
  checkpoints: readonly { readonly size: number; readonly root: Uint8Array }[],
): void {
  for (const seq of doubtful) {
    const next = checkpoints.find(({ size }) => size >= seq);
    const own = next && roots.get(next.size);
    if (next === undefined || (own !== undefined && Buffer.compare(own, next.root) === 0)) {
      problems.add({ ...wrongHash(files), from: seq, message: 'the hash of an entry is another' });
    } else {
      const message = 'row and file were changed alike: the hash that was written is of another entry';
      problems.add({ where: 'rows', kind: 'edited', from: seq, message, nextSteps: distrustRows(files.dir) });
    }
  }
}

function notesFor({ rows, written, isTorn }: Course, isNoteTorn: boolean): readonly string[] {
  return [
    ...(written < rows ? [`${rows - written} rows are not in the file yet: a running node writes them`] : []),
    ...(isTorn ? ['the last line is half written: the next start of the node mends it'] : []),
    ...(isNoteTorn ? ['the last checkpoint is half written: the next start of the node mends it'] : []),
  ];
}
