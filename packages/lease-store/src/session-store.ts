import { quote, WritError } from '@writ/core';
import { countColumn, fieldsOf, type ReadTx, type RowShape, readRow } from '@writ/database';
import { z } from 'zod';
import type { Session, SessionStore } from './types.ts';

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

const START = `INSERT INTO session (origin, id, agent, started_at_ms) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const GET = `SELECT origin, id, agent, started_at_ms AS startedAtMs, ended_at_ms AS endedAtMs FROM session
  WHERE origin = ? AND id = ?`;
const END = 'UPDATE session SET ended_at_ms = ? WHERE origin = ? AND id = ? AND ended_at_ms IS NULL';

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
  };
}

function get(tx: ReadTx, origin: string, id: string): Session | undefined {
  return readRow(tx, tx.prepare(GET).get(origin, id), SHAPE);
}
