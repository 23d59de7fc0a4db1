import {
  beginSession,
  type Gate,
  idOfAgent,
  idOfCall,
  idOfCredential,
  SESSION_DIGITS,
  sessionIdKind,
} from '@writ/authority';
import { digestJson, quote, type Random, WritError } from '@writ/core';
import type { Database } from '@writ/database';
import type { Origin, OriginOptions, SessionEnds } from '@writ/delegation';
import type { SessionRef, Sessions } from '@writ/gateway';
import type { SessionStore } from '@writ/lease-store';
import type { Foundations } from './foundations.ts';

/** Random bytes of a credential. */
const CREDENTIAL_BYTES = 32;
/** How long after the end of a session something that was sent in it may still come: two lives of a writ, milliseconds. */
const LATE_MS = 7_200_000;
/** Ends of sessions of one origin that are remembered although nothing was asked in them. */
const MOST_UNUSED = 256;

/** Sessions of this node's own agents. One is stored with its first wish, or, where a credential is issued for it, at once. */
export function createSessions(
  { database, stores, identity, random }: Pick<Foundations, 'database' | 'stores' | 'identity' | 'random'>,
  ends: Pick<Origin, 'endSession'>,
): Sessions {
  const origin = identity.public.id;
  return {
    start: (agent) => ({ origin, id: idOfAgent(random), agent }),
    startForCall(agent, retry) {
      // INVARIANT: 6, 7 no other agent, and no other call with the same key, shares what is opened or asked in it.
      const key = retry === undefined ? random.uuid() : digestJson({ agent, ...retry }).slice(0, SESSION_DIGITS);
      return { origin, id: idOfCall(key), agent };
    },
    issue(agent) {
      const credential = newCredential(random);
      const id = idOfCredential(credential);
      database.withWriteTx((tx) => {
        beginSession(stores.sessions, tx, { origin, id, agent }, 'person');
      });
      return { session: { origin, id, agent }, credential };
    },
    find: (credential) => findByCredential({ database, sessions: stores.sessions, origin }, credential),
    listOpen: (limit) =>
      database
        .withReadTx((tx) => stores.sessions.listOpen(tx, origin, limit))
        // The person's own belongs to no agent.
        .filter(({ id }) => isEndable(id))
        .map(({ id, agent, startedAtMs }) => ({ origin, id, agent, startedAtMs })),
    end(id, by) {
      // The person's own has no end: they could not be asked any more.
      if (!isEndable(id)) throw notThere(id);
      return ends.endSession(id, by);
    },
  };
}

/** A session that is not recorded was never ended, as far as this node knows; `self`: this node's id. */
export function sessionsLive(sessions: SessionStore, self: string): OriginOptions['sessionLives'] {
  return (tx, { origin = self, session }) => sessions.get(tx, origin, session)?.endedAtMs === undefined;
}

function newCredential(random: Random): string {
  return `wst_${Buffer.from(random.bytes(CREDENTIAL_BYTES)).toString('base64url')}`;
}

/** INVARIANT: 7 a session comes from its credential alone; one that has ended proves nothing. */
function findByCredential(
  {
    database,
    sessions,
    origin,
  }: { readonly database: Database; readonly sessions: SessionStore; readonly origin: string },
  credential: string,
): SessionRef | undefined {
  const session = database.withReadTx((tx) => sessions.get(tx, origin, idOfCredential(credential)));
  if (session === undefined || session.endedAtMs !== undefined) return undefined;
  return { origin, id: session.id, agent: session.agent };
}

function isEndable(id: string): boolean {
  return sessionIdKind(id) !== 'other';
}

function notThere(id: string): WritError {
  return new WritError('NOT_FOUND', `no session ${quote(id)}`, { nextSteps: ['writ session list'] });
}

/** Stores a session in the transaction of a wish, so that a call of the command line costs no commit more. */
export function createSessionRecord(sessions: SessionStore, origin: string): OriginOptions['recordSession'] {
  return (tx, { id, agent }) => {
    const known = sessions.get(tx, origin, id);
    if (known?.endedAtMs !== undefined) {
      throw new WritError('NOT_FOUND', 'the session that asks has ended', {
        nextSteps: ['ask from a new one: writ session start'],
      });
    }
    if (known !== undefined) return;
    beginSession(sessions, tx, { origin, id, agent }, 'self');
  };
}

/** What the origin of this node knows of sessions, and who is owed the news of their ends. */
export function createSessionEnds(sessions: SessionStore, gate: Pick<Gate, 'endSession' | 'onEndOwed'>): SessionEnds {
  return {
    get: (tx, { origin, session }) => sessions.get(tx, origin, session),
    start(tx, { origin, session, agent }) {
      beginSession(sessions, tx, { origin, id: session, agent }, origin);
    },
    noteEnded(tx, { origin, session, agent }) {
      const bounds = { sinceMs: tx.nowMs - LATE_MS, limit: MOST_UNUSED };
      if (!sessions.noteEnded(tx, { origin, id: session, agent }, bounds)) return;
      tx.audit({ kind: 'session', action: 'session.ended', actor: origin, subject: session, details: { origin } });
    },
    hold: (tx, key, peer) => sessions.hold(tx, key, peer),
    holders: (tx, key) => sessions.holders(tx, key),
    end: (key, by, peers, statement) => gate.endSession(key, by, peers, statement),
    onOwed: (listener) => gate.onEndOwed(listener),
    listOwed: (tx, filter) => sessions.listOwedEnds(tx, filter),
    settle: (tx, owed) => sessions.settleEnd(tx, owed),
  };
}
