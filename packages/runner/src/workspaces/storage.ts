import type { Clock } from '@writ/core';
import type { TranscriptFile, Transcripts } from '../transcripts.ts';
import type { Attempt } from './attempt.ts';
import type { HoldsWork, ListedWorkspace, Removal } from './kept.ts';
import type { KeptWorkspace } from './kept-folders.ts';
import type { Workspaces } from './workspaces.ts';

/** A clone that stands ready, or is in use. */
export interface LiveClone {
  /** Absolute path of its folder. */
  readonly dir: string;
  /** Absolute path of the repository that it is a clone of. */
  readonly source: string;
  /** On the disk, when it was made; absent for one in use. */
  readonly bytes?: number;
}

/** All that the runner has on the disk. */
export interface Stored {
  readonly inUse: readonly LiveClone[];
  readonly ready: readonly LiveClone[];
  readonly kept: readonly ListedWorkspace[];
  /** Of what is ready and what is kept. */
  readonly bytes: number;
}

/** What a sweep goes by. */
export interface SweepOrder {
  readonly holdsWork: HoldsWork;
  /** Transcripts that were last written before this go. */
  readonly transcriptsBeforeMs: number;
  /** Whether a transcript that is that old may go. */
  readonly mayForget: (transcript: TranscriptFile) => boolean;
}

/** What takes room on the disk, and how it is given back. */
export interface Storage {
  list(): Promise<Stored>;
  /** Removes what a person names, at once. Throws NOT_FOUND, CONFLICT. */
  remove(removal: Removal): Promise<readonly KeptWorkspace[]>;
  /** Removes what has had its time or is over the budget. */
  sweep(order: SweepOrder): Promise<{ readonly workspaces: number; readonly transcripts: number }>;
}

export interface StorageParts {
  readonly workspaces: Pick<Workspaces, 'kept' | 'pool' | 'adopted'>;
  readonly transcripts: Pick<Transcripts, 'removeBefore'>;
  readonly lifetime: { inUse(): readonly Attempt[] };
  readonly clock: Clock;
}

export function createStorage({ workspaces, transcripts, lifetime }: StorageParts): Storage {
  const { kept, pool, adopted } = workspaces;
  const readyBytes = (): number => pool.list().reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    async list() {
      await adopted();
      const inUse = lifetime.inUse().flatMap(({ work, clone }) => {
        return clone === undefined ? [] : [{ dir: work, source: clone.source }];
      });
      const ready = pool.list().map(({ path, folder, bytes }) => ({ dir: folder, source: path, bytes }));
      return { inUse, ready, kept: kept.list(), bytes: readyBytes() + kept.bytes().all };
    },
    async remove(removal) {
      await adopted();
      return kept.remove(removal);
    },
    async sweep({ holdsWork, transcriptsBeforeMs, mayForget }) {
      await adopted();
      pool.trim();
      const removed = await kept.sweep(holdsWork, readyBytes());
      return { workspaces: removed, transcripts: await transcripts.removeBefore(transcriptsBeforeMs, mayForget) };
    },
  };
}
