import { type Random, sha256Hex } from '@writ/core';
import type { OriginOptions } from '@writ/delegation';
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

/** A session that is not recorded was never ended, as far as this node knows; `self`: this node's id. */
export function sessionsLive(sessions: SessionStore, self: string): OriginOptions['sessionLives'] {
  return (tx, { origin = self, session }) => sessions.get(tx, origin, session)?.endedAtMs === undefined;
}

/** Stores a session in the transaction of a wish, so that a call of the command line costs no commit more. */
export function createSessionRecord(sessions: SessionStore, origin: string): OriginOptions['recordSession'] {
  return (tx, { id, agent }) => {
    if (sessions.get(tx, origin, id) !== undefined) return;
    sessions.start(tx, { origin, id, agent });
    tx.audit({ kind: 'session', action: 'session.started', actor: 'self', subject: id, details: { agent } });
  };
}
