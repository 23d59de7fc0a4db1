import type { Gate } from '@writ/authority';
import { quote, type Random, sha256Hex, WritError } from '@writ/core';
import type { OriginOptions, SessionEnds } from '@writ/delegation';
import type { Sessions } from '@writ/gateway';
import type { SessionStore } from '@writ/lease-store';

/** Hexadecimal digits of a key's digest that name its session. */
const KEY_DIGITS = 32;

/** Names sessions of this node's own agents; `origin` is this node's id. A session is stored with its first wish. */
export function createSessions(origin: string, random: Random): Sessions {
  return {
    start(agent, key) {
      const id = key === undefined ? random.uuid() : `key-${sha256Hex(key).slice(0, KEY_DIGITS)}`;
      return { origin, id, agent };
    },
  };
}

/** Stores a session in the transaction of a wish, so that a call of the command line costs no commit more. */
export function createSessionRecord(sessions: SessionStore, origin: string): OriginOptions['recordSession'] {
  return (tx, { id, agent }) => {
    const known = sessions.get(tx, origin, id);
    if (known?.endedAtMs !== undefined) {
      throw new WritError('NOT_FOUND', `session ${quote(id)} has ended`, {
        nextSteps: ['start the work anew, in a session that goes on'],
      });
    }
    if (known !== undefined) return;
    sessions.start(tx, { origin, id, agent });
    tx.audit({ kind: 'session', action: 'session.started', actor: 'self', subject: id, details: { agent } });
  };
}

/** What the origin of this node knows of sessions, and who is owed the news of their ends. */
export function createSessionEnds(sessions: SessionStore, gate: Pick<Gate, 'endSession' | 'onEndOwed'>): SessionEnds {
  return {
    get: (tx, { origin, session }) => sessions.get(tx, origin, session),
    start(tx, { origin, session, agent }) {
      sessions.start(tx, { origin, id: session, agent });
      tx.audit({ kind: 'session', action: 'session.started', actor: origin, subject: session, details: { agent } });
    },
    end: (key, by, peers, statement) => gate.endSession(key, by, peers, statement),
    onOwed: (listener) => gate.onEndOwed(listener),
    listOwed: (tx, filter) => sessions.listOwedEnds(tx, filter),
    settle: (tx, owed) => sessions.settleEnd(tx, owed),
  };
}
