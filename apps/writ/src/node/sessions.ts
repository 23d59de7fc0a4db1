import { type Random, sha256Hex } from '@writ/core';
import type { Database } from '@writ/database';
import type { Sessions } from '@writ/gateway';
import type { SessionStore } from '@writ/lease-store';

/** Hexadecimal digits of a key's digest that name its session. */
const KEY_DIGITS = 32;

/** Sessions of this node's own agents; `origin` is this node's id. */
export function createSessions(database: Database, sessions: SessionStore, origin: string, random: Random): Sessions {
  return {
    start(agent, key) {
      const id = key === undefined ? random.uuid() : `key-${sha256Hex(key).slice(0, KEY_DIGITS)}`;
      database.withWriteTx((tx) => {
        if (sessions.get(tx, origin, id) !== undefined) return;
        sessions.start(tx, { origin, id, agent });
        tx.audit({ kind: 'session', action: 'session.started', actor: 'self', subject: id, details: { agent } });
      });
      return { origin, id, agent };
    },
  };
}
