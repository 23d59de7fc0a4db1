import type { Clock } from '@writ/core';
import type { Transcripts } from '../transcripts.ts';
import type { Attempt } from './attempt.ts';
import type { Storage } from './types.ts';
import type { Workspaces } from './workspaces.ts';

export interface StorageParts {
  readonly workspaces: Pick<Workspaces, 'kept' | 'pool' | 'trash' | 'adopted'>;
  readonly transcripts: Pick<Transcripts, 'removeBefore'>;
  readonly lifetime: { inUse(): readonly Attempt[] };
  readonly clock: Clock;
}

export function createStorage({ workspaces, transcripts, lifetime }: StorageParts): Storage {
  const { kept, pool, trash, adopted } = workspaces;
  return {
    async list() {
      await adopted();
      const inUse = lifetime.inUse().flatMap(({ work, clone }) => {
        return clone === undefined ? [] : [{ dir: work, source: clone.source }];
      });
      const ready = pool.list().map(({ path, folder, bytes }) => ({ dir: folder, source: path, bytes }));
      return { inUse, ready, kept: kept.list(), bytes: pool.bytes() + kept.bytes() };
    },
    held: kept.held,
    undeleted: trash.undeleted,
    async remove(removal) {
      await adopted();
      try {
        return await kept.remove(removal);
      } finally {
        // Whoever wants room has it when this answers.
        await trash.settled();
      }
    },
    async sweep({ transcriptsBeforeMs, mayForget, ...looking }) {
      await adopted();
      trash.retry();
      pool.trim();
      // First what is known: looking takes its time, and a task decides how long.
      const removed = await kept.clear();
      const gone = await transcripts.removeBefore(transcriptsBeforeMs, mayForget);
      await kept.look(looking);
      return { workspaces: removed + (await kept.clear()), transcripts: gone };
    },
  };
}
