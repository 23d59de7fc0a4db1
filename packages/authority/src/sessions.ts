import { createListeners, type Logger, quote, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Session, SessionKey, SessionStore } from '@writ/lease-store';
import type { Approvals } from './approvals/types.ts';
import type { Executions } from './executions/types.ts';
import type { RecordParts } from './record-types.ts';
import type { Windows } from './windows/windows.ts';

/**
 * Stores a session that is not stored yet, with its audit row, in the transaction of what rests on it. `by`: node id, `self`
 * or `person`. Throws CONFLICT where it belongs to another agent.
 */
export function beginSession(
  sessions: Pick<SessionStore, 'get' | 'start'>,
  tx: WriteTx,
  { origin, id, agent }: Pick<Session, 'origin' | 'id' | 'agent'>,
  by: string,
): Session {
  const isNew = sessions.get(tx, origin, id) === undefined;
  const session = sessions.start(tx, { origin, id, agent });
  if (isNew) tx.audit({ kind: 'session', action: 'session.started', actor: by, subject: id, details: { agent } });
  return session;
}

/** How sessions and tasks end for what waits for them. */
export interface Endings {
  /**
   * Ends a session: its questions are cancelled, its windows closed, its commands that have not started cancelled, and
   * `peers` (node ids that hold something for it) are owed the news: `statement`, where its origin is another node. What
   * runs, or is queued without anybody having been asked, goes on. False where it had ended. Throws NOT_FOUND.
   */
  endSession(key: SessionKey, by: string, peers: readonly string[], statement?: Uint8Array): boolean;
  /** Called after an end whose news is owed to somebody; returns how to stop. */
  onEndOwed(listener: () => void): () => void;
  /** Ends what waits for a task, in the transaction that ends it. */
  taskEnded(tx: WriteTx, task: string): void;
}

export function createEndings(
  { database, sessions, logger }: Pick<RecordParts, 'database' | 'sessions'> & { readonly logger: Logger },
  held: {
    readonly approvals: Pick<Approvals, 'cancelOf'>;
    readonly executions: Pick<Executions, 'cancelOf'>;
    readonly windows: Pick<Windows, 'closeOf'>;
    /** What else ends with a session. */
    readonly more: ((tx: WriteTx, key: SessionKey) => void) | undefined;
  },
): Endings {
  const owed = createListeners<undefined>(logger, 'ends of sessions');
  const cancelOf = (tx: WriteTx, whose: SessionKey | { readonly task: string }): void => {
    held.executions.cancelOf(tx, whose);
    held.approvals.cancelOf(tx, whose);
  };
  return {
    endSession: (key, by, peers, statement) =>
      database.withWriteTx((tx) => {
        const { origin, session } = key;
        if (!sessions.end(tx, origin, session)) {
          if (sessions.get(tx, origin, session) !== undefined) return false;
          throw new WritError('NOT_FOUND', `no session ${quote(session)}`, {
            nextSteps: ['writ session list'],
          });
        }
        // First: what it ends waits for no answer of an approver any more.
        held.more?.(tx, key);
        cancelOf(tx, key);
        held.windows.closeOf(tx, key);
        const said = statement === undefined ? {} : { statement };
        for (const peer of peers) sessions.oweEnd(tx, { origin, session, peer, ...said });
        if (peers.length > 0) tx.afterCommit(() => owed.tell(undefined));
        tx.audit({ kind: 'session', action: 'session.ended', actor: by, subject: session, details: { origin } });
        return true;
      }),
    onEndOwed: (listener) => owed.add(listener),
    taskEnded: (tx, task) => cancelOf(tx, { task }),
  };
}
