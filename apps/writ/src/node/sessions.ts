import type { Random } from '@writ/core';
import type { Database } from '@writ/database';
import type { Sessions } from '@writ/gateway';
import type { SessionStore } from '@writ/lease-store';

/** Sessions of this node's own agents; `origin` is this node's id. */
export function createSessions(database: Database, sessions: SessionStore, origin: string, random: Random): Sessions {
  return {
    start(agent) {
      const id = random.uuid();
      database.withWriteTx((tx) => {
        sessions.start(tx, { origin, id, agent });
        tx.audit({ kind: 'session', action: 'session.started', actor: 'self', subject: id, details: { agent } });
      });
      return { origin, id, agent };
    },
  };
}
