import { createListeners, type Logger, quote, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Session, SessionKey, SessionStore } from '@writ/lease-store';
import type { Approvals } from './approvals/types.ts';
import type { Executions } from './executions/types.ts';
import { PERSON } from './person.ts';
import type { Asker, RecordParts } from './record-types.ts';
import { SELF } from './subject.ts';
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

/**
 * What the ids of sessions of this node's agents begin with where a session is one call's: whoever made the call named none.
 * Nobody chooses such an id.
 */
export const OF_ONE_CALL = 'key-';

/** Whether a session of this node is one call's. */
export function isOfOneCall(session: string): boolean {
  return session.startsWith(OF_ONE_CALL);
}

/** Agent name of a call that belongs to no agent's connection. No MCP client is called so. */
export const COMMAND_LINE = 'cli';

/**
 * Whether somebody at this machine's command line asks who named no session: its person, as far as anybody can tell. A
 * session that was started is an agent's, and so is every connection of an MCP client.
 */
export function isOfCommandLine({ session, agent }: { readonly session: string; readonly agent: string }): boolean {
  return isOfOneCall(session) && agent === COMMAND_LINE;
}

/** A call of this node without a session: each has one of its own, so that they are counted together. */
export function isWithoutSession({ requestedBy, session, task }: WhoAsks): boolean {
  return requestedBy === SELF && task === undefined && isOfOneCall(session);
}

/** What says in whose name something is asked for. */
export type WhoAsks = Pick<Asker, 'requestedBy' | 'session' | 'task'>;

/**
 * In which line somebody's commands wait: a peer is one whatever sessions and tasks it has, so are all agents of this node, and so is
 * who asks without a session. What one of them has waiting keeps no other waiting.
 */
export function laneOf(asker: WhoAsks): string {
  return isWithoutSession(asker) ? 'calls without a session' : asker.requestedBy;
}

/** Whether another node asks. */
export function isOfPeer({ requestedBy }: Pick<WhoAsks, 'requestedBy'>): boolean {
  return requestedBy !== SELF && requestedBy !== PERSON;
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
