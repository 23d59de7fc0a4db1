import { WritError } from '@writ/core';
import type { ReadTx } from '@writ/database';
import type { Asker, RecordParts, Refusal } from './record-types.ts';

/**
 * Whether what asks is still there: its session, not ended and of this agent, and its task, where it has one. Read in
 * the transaction of what is asked, every time.
 * INVARIANT: 5 a vanished session or task is an error, never a success.
 */
export function goneOf(
  { sessions, tasks }: Pick<RecordParts, 'sessions' | 'tasks'>,
  tx: ReadTx,
  asker: Pick<Asker, 'origin' | 'session' | 'agent' | 'task'>,
): { readonly what: 'session' | 'task'; readonly refusal: Refusal } | undefined {
  const session = sessions.get(tx, asker.origin, asker.session);
  if (session === undefined || session.endedAtMs !== undefined || session.agent !== asker.agent) {
    return { what: 'session', refusal: gone('the session that asked is not there any more') };
  }
  if (asker.task !== undefined && !tasks.isLive(tx, asker.task)) {
    return { what: 'task', refusal: gone('the task that asked is not there any more') };
  }
  return undefined;
}

/** Throws BAD_REQUEST where a part of the key is missing or blank: a program error above, since credentials have all. */
export function checkAsker({ origin, session, agent, task, requestedBy }: Asker): void {
  for (const [part, value] of Object.entries({ origin, session, agent, requestedBy, task: task ?? 'none' })) {
    if (value.trim() === '') {
      throw new WritError('BAD_REQUEST', `the ${part} of who asks is empty`, {
        nextSteps: ['ask with a credential that names a session'],
      });
    }
  }
}

function gone(message: string): Refusal {
  return { code: 'NOT_FOUND', message, nextSteps: ['nothing was changed; ask anew from a session that lives'] };
}
