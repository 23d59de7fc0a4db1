import type { AuditFiles } from '../log/layout.ts';
import { sameHash } from '../merkle/hashing.ts';
import { readCheckpoint, type SignedCheckpoint } from '../note/checkpoint.ts';
import { checkSignature, type SignatureFault, type Signers } from '../note/signers.ts';
import { distrustRows } from './entry-check.ts';
import type { Problems } from './problems.ts';
import type { KeptCheckpoint, ProblemPlace } from './types.ts';

/** Checkpoints that were read and belong to the log. */
export interface SignedNotes {
  /** By size, smallest first. */
  readonly good: readonly SignedCheckpoint[];
  /** The largest size of one with a good signature; 0: there is none. */
  readonly signed: number;
}

const FAULTS: Readonly<Record<SignatureFault, string>> = {
  'another-log': 'a checkpoint is of another node',
  'unknown-key': 'a checkpoint is signed with a key that is not known to be this node’s',
  'bad-signature': 'the signature of a checkpoint does not fit',
};

/** Reads notes and checks whose they are; what is wrong with them becomes a problem. */
export function checkNotes(
  notes: readonly string[],
  signers: Signers,
  problems: Problems,
  where: Extract<ProblemPlace, 'checkpoint' | 'kept-checkpoint' | 'bundle'>,
): SignedNotes {
  const good: SignedCheckpoint[] = [];
  let highest = 0;
  for (const note of notes) {
    const checkpoint = readCheckpoint(note);
    if (checkpoint === undefined) {
      problems.add({ where, kind: 'unreadable', message: 'a checkpoint cannot be read', nextSteps: stepsFor(where) });
      continue;
    }
    const fault = checkSignature(signers, checkpoint);
    const about = { where, from: checkpoint.size, nextSteps: stepsFor(where) };
    if (fault !== undefined) problems.add({ ...about, kind: fault, message: FAULTS[fault] });
    else good.push(checkpoint);
    if (where === 'checkpoint' && checkpoint.size < highest) {
      problems.add({ ...about, kind: 'reordered', message: 'a checkpoint counts less than one before it' });
    }
    highest = Math.max(highest, checkpoint.size);
  }
  const bySize = good.toSorted((a, b) => a.size - b.size);
  return { good: bySize, signed: bySize.at(-1)?.size ?? 0 };
}

function stepsFor(where: ProblemPlace): readonly string[] {
  if (where === 'checkpoint') {
    return [
      'somebody wrote into the log: keep it as evidence',
      'compare with a checkpoint that you keep elsewhere: writ audit verify --checkpoint FILE',
    ];
  }
  return ['give a checkpoint of this node, as it was: FILE is copied from `checkpoint` in its folder `audit`'];
}

export interface RootCheck {
  readonly problems: Problems;
  readonly files: AuditFiles;
  /** Roots of the rows by size. */
  readonly roots: ReadonlyMap<number, Uint8Array>;
  /** Rows that there are. */
  readonly end: number;
}

/**
 * Compares the log's own checkpoints with the rows. A difference that no entry explains concerns all between the last one
 * that holds and this: rows, file and hashes were changed alike. Returns the sizes that hold.
 */
export function checkOwnRoots(
  checkpoints: readonly SignedCheckpoint[],
  { problems, files, roots, end }: RootCheck,
): readonly number[] {
  const held: number[] = [];
  const nextSteps = distrustRows(files.dir);
  for (const { size, root } of checkpoints) {
    const after = held.at(-1) ?? 0;
    const own = roots.get(size);
    if (own !== undefined && sameHash(own, root)) {
      held.push(size);
    } else if (size > end) {
      const message = `a checkpoint counts ${size} entries, and the rows end with ${end}`;
      problems.add({ where: 'rows', kind: 'cut', from: end + 1, to: size, message, nextSteps });
    } else if (own !== undefined && !problems.between(after, size)) {
      const message = 'what stands there is not what was signed: rows, file and hashes were changed alike';
      problems.add({ where: 'rows', kind: 'edited', from: after + 1, to: size, message, nextSteps });
    }
  }
  return held;
}

/** Compares checkpoints that were kept elsewhere with the rows: they show a tail that was cut, and another history. */
export function checkKeptRoots(
  checkpoints: readonly SignedCheckpoint[],
  held: readonly number[],
  { problems, files, roots, end }: RootCheck,
): readonly KeptCheckpoint[] {
  return checkpoints.map(({ size, root }) => {
    const own = roots.get(size);
    const holds = own !== undefined && sameHash(own, root);
    const about = { where: 'kept-checkpoint', nextSteps: distrustRows(files.dir) } as const;
    if (size > end) {
      const message = `a kept checkpoint counts ${size} entries, and the rows end with ${end}: the tail was cut`;
      problems.add({ ...about, kind: 'cut', from: end + 1, to: size, message });
    } else if (!holds) {
      const from = Math.max(0, ...held.filter((one) => one < size)) + 1;
      const message = `a kept checkpoint over the first ${size} entries has another root: the history is another`;
      problems.add({ ...about, kind: 'forked', from: Math.min(from, size), to: size, message });
    }
    return { size, root: Buffer.from(root).toString('hex'), holds };
  });
}
