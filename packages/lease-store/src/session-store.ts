import { quote, WritError } from '@writ/core';
import { countColumn, fieldsOf, type ReadTx, type RowShape, readRow, readRows } from '@writ/database';
import { z } from 'zod';
import { pruneSessions } from './session-pruning.ts';
import type { Session, SessionEnd, SessionStore } from './types.ts';

const SHAPE: RowShape<Session> = {
  table: 'session',
  key: 'id',
  shape: z.object(
    fieldsOf<Session>()({
      origin: z.string().min(1),
      id: z.string().min(1),
      agent: z.string(),
      startedAtMs: countColumn,
      endedAtMs: countColumn.optional(),
    }),
  ),
};

const END_SHAPE: RowShape<SessionEnd> = {
  table: 'session_end',
  key: 'session',
  shape: z.object(
    fieldsOf<SessionEnd>()({
      origin: z.string().min(1),
      session: z.string().min(1),
      peer: z.string().min(1),
      statement: z.instanceof(Uint8Array).optional(),
    }),
  ),
};

const START = `INSERT INTO session (origin, id, agent, started_at_ms) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const GET = `SELECT origin, id, agent, started_at_ms AS startedAtMs, ended_at_ms AS endedAtMs FROM session
  WHERE origin = ? AND id = ?`;
const END = 'UPDATE session SET ended_at_ms = ? WHERE origin = ? AND id = ? AND ended_at_ms IS NULL';
const LIST_OPEN = `SELECT origin, id, agent, started_at_ms AS startedAtMs, ended_at_ms AS endedAtMs FROM session
  WHERE ended_at_ms IS NULL AND origin = ? ORDER BY started_at_ms DESC, id DESC LIMIT ?`;
/** Nothing was ever asked in them: they end with their beginning. */
const UNUSED = 'origin = ? AND ended_at_ms = started_at_ms';
const FORGET_UNUSED = `DELETE FROM session WHERE ${UNUSED} AND ended_at_ms < ?`;
const COUNT_UNUSED = `SELECT COUNT(*) FROM session WHERE ${UNUSED}`;
const NOTE_ENDED = `INSERT INTO session (origin, id, agent, started_at_ms, ended_at_ms) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
const HOLD = 'INSERT INTO session_holder (origin, session, peer) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const HOLDERS = 'SELECT peer FROM session_holder WHERE origin = ? AND session = ? ORDER BY peer';
const OWE =
  'INSERT INTO session_end (origin, session, peer, at_ms, statement) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
const OWED = `SELECT origin, session, peer, statement FROM session_end WHERE (@peer IS NULL OR peer = @peer)
  ORDER BY at_ms, origin, session, peer LIMIT @limit`;
const SETTLE = 'DELETE FROM session_end WHERE origin = ? AND session = ? AND peer = ?';

/** Sessions in SQLite. */
export function createSessionStore(): SessionStore {
  return {
    start(tx, { origin, id, agent }) {
      const started = tx.prepare(START).run(origin, id, agent, tx.nowMs).changes === 1;
      const session = get(tx, origin, id);
      if (session === undefined) throw new WritError('DATABASE_ERROR', `session ${quote(id)} cannot be read`);
      if (!started && session.agent !== agent) {
        throw new WritError('CONFLICT', `session ${quote(id)} belongs to another agent`, {
          nextSteps: ['start a session of its own for this agent'],
        });
      }
      return session;
    },
    get,
    end: (tx, origin, id) => tx.prepare(END).run(tx.nowMs, origin, id).changes === 1,
    noteEnded(tx, { origin, id, agent }, { sinceMs, limit }) {
      // INVARIANT: 5, 7 one that is forgotten under a wrong clock begins anew once the clock is right, for whoever holds a writ of it.
      tx.forRemoval?.prepare(FORGET_UNUSED).run(origin, sinceMs);
      if (Number(tx.prepare(COUNT_UNUSED).pluck().get(origin)) >= limit) return false;
      return tx.prepare(NOTE_ENDED).run(origin, id, agent, tx.nowMs, tx.nowMs).changes === 1;
    },
    listOpen: (tx, origin, limit) => readRows(tx, tx.prepare(LIST_OPEN).all(origin, limit), SHAPE),
    hold(tx, { origin, session }, peer) {
      tx.prepare(HOLD).run(origin, session, peer);
    },
    holders: (tx, { origin, session }) => tx.prepare(HOLDERS).pluck().all(origin, session).map(String),
    oweEnd(tx, { origin, session, peer, statement }) {
      tx.prepare(OWE).run(origin, session, peer, tx.nowMs, statement ?? null);
    },
    listOwedEnds: (tx, { peer, limit }) => readRows(tx, tx.prepare(OWED).all({ peer: peer ?? null, limit }), END_SHAPE),
    prune: pruneSessions,
    settleEnd(tx, { origin, session, peer }) {
      tx.prepare(SETTLE).run(origin, session, peer);
    },
  };
}

function get(tx: ReadTx, origin: string, id: string): Session | undefined {
  return readRow(tx, tx.prepare(GET).get(origin, id), SHAPE);
}
