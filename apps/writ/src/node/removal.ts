import { createRemoval, type EvidenceKit, type Removal, type TranscriptMirror } from '@writ/delegation';
import type { TaskRunner } from '@writ/runner';
import type { Foundations } from './foundations.ts';

/** Removes what this node has kept of tasks for as long as its policy says; of what lies in a kept clone, not before that. */
export function createNodeRemoval(
  { database, stores, engine, identity, clock, logger }: Foundations,
  runner: Pick<TaskRunner, 'removeTranscript' | 'storage'>,
  evidence: EvidenceKit,
  transcripts: TranscriptMirror,
): Removal {
  return createRemoval({
    ...{ database, evidence, runner, transcripts, clock, logger },
    removals: stores.removals,
    leftovers: stores.leftovers,
    authority: {
      isAsked: (tx, task) => stores.approvals.countPendingOfTask(tx, task) > 0,
      dropToken: (tx, task) => stores.tokens.dropTask(tx, task),
      sessions: {
        get: (tx, { origin, session }) => stores.sessions.get(tx, origin, session),
        hold: (tx, key, peer) => stores.sessions.hold(tx, key, peer),
      },
    },
    self: identity.public.id,
    rules() {
      const { storage, peers } = engine.snapshot().config;
      return { keepMs: storage.keepTasksMs, peers: [...peers.values()].map(({ id }) => id) };
    },
    async held() {
      const { kept } = await runner.storage.list();
      const unknown = kept.filter(({ record }) => record === undefined);
      if (unknown.length > 0) {
        const clones = unknown.map(({ id }) => id).join(' ');
        logger.warn('no task that ran here is removed: nobody can say of which one a kept clone is', { clones });
        return 'all';
      }
      return new Set(kept.flatMap(({ record }) => (record === undefined ? [] : [record.task])));
    },
  });
}
