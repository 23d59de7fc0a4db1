import { quote, WritError } from '@writ/core';
import {
  countColumn,
  fieldsOf,
  flagColumn,
  jsonColumn,
  type ReadTx,
  type RowShape,
  readRow,
  readRows,
  type WriteTx,
} from '@writ/database';
import { z } from 'zod';
import { insertEvent, readEvents, readOutputEnd, readTurn } from './events.ts';
import { readPage } from './pages.ts';
import { grantedShape, outcomeShape, specShape, stateShape } from './shapes.ts';
import { isTerminal } from './states.ts';
import type { Mirror, MirrorStore, NewMirror, TaskEvent } from './types.ts';
import { readWrits, writsColumn } from './writs.ts';

const COLUMNS = `id, peer, peer_label AS peerLabel, session, agent, idempotency_key AS idempotencyKey, spec, state,
  granted, cursor, created_at_ms AS createdAtMs, cancel_requested_at_ms AS cancelRequestedAtMs, unreachable,
  unreachable_since_ms AS unreachableSinceMs, accepted, outcome, parent, origin, version`;

const SHAPE: RowShape<Mirror> = {
  table: 'mirror',
  key: 'id',
  shape: z.object(
    fieldsOf<Mirror>()({
      id: z.string(),
      peer: z.string(),
      peerLabel: z.string(),
      session: z.string(),
      origin: z.string().optional(),
      parent: z.string().optional(),
      agent: z.string(),
      idempotencyKey: z.string(),
      spec: jsonColumn(specShape),
      state: stateShape,
      granted: jsonColumn(grantedShape).optional(),
      cursor: countColumn,
      createdAtMs: countColumn,
      cancelRequestedAtMs: countColumn.optional(),
      unreachable: flagColumn,
      unreachableSinceMs: countColumn.optional(),
      accepted: flagColumn,
      outcome: jsonColumn(outcomeShape).optional(),
      version: countColumn,
    }),
  ),
};

const INSERT = `INSERT INTO mirror (id, peer, peer_label, session, agent, idempotency_key, spec, state, cursor,
  created_at_ms, parent, origin, writs, unreachable, accepted, version)
  VALUES (?, ?, ?, ?, ?, ?, ?, 'submitted', 0, ?, ?, ?, ?, 0, 0, 1) ON CONFLICT DO NOTHING`;
const GET = `SELECT ${COLUMNS} FROM mirror WHERE id = ?`;
const FIND_BY_KEY = `SELECT ${COLUMNS} FROM mirror WHERE session = ? AND idempotency_key = ?`;
const LIST_CHILDREN = `SELECT ${COLUMNS} FROM mirror WHERE parent = ? ORDER BY n DESC LIMIT ?`;
const LIST_LIVE_CHILDREN = `SELECT ${COLUMNS} FROM mirror WHERE parent = ? AND live = 1 ORDER BY n`;
const PEERS_OF_SESSION = `SELECT DISTINCT peer FROM mirror
  WHERE session = ? AND IFNULL(origin, '') = ? AND peer <> 'self' ORDER BY peer`;
const SET_WRITS = 'UPDATE mirror SET writs = ?, version = version + 1 WHERE id = ?';
const COUNT_LIVE = 'SELECT COUNT(*) FROM mirror WHERE live = 1';
const LIST_LIVE = `SELECT ${COLUMNS} FROM mirror WHERE live = 1 ORDER BY n`;
// An event proves that the executor has the task. A terminal mirror keeps its state and outcome.
const APPLY = `UPDATE mirror SET cursor = @seq, accepted = 1, version = version + 1,
  state = IIF(live, COALESCE(@state, state), state), granted = COALESCE(@granted, granted),
  outcome = IIF(live, @outcome, outcome),
  ended_at_ms = IIF(live AND @outcome IS NOT NULL, @nowMs, ended_at_ms) WHERE id = @id AND cursor = @seq - 1 RETURNING n`;
const PASS_OVER =
  'UPDATE mirror SET cursor = @seq, accepted = 1, version = version + 1 WHERE id = @id AND cursor < @seq';
const SET_ACCEPTED = 'UPDATE mirror SET accepted = 1, version = version + 1 WHERE id = ? AND accepted = 0';
const SET_UNREACHABLE = `UPDATE mirror SET unreachable = @unreachable, version = version + 1,
  unreachable_since_ms = IIF(@unreachable, @nowMs, NULL) WHERE id = @id AND unreachable <> @unreachable`;
const SET_CANCEL = `UPDATE mirror SET cancel_requested_at_ms = ?, version = version + 1
  WHERE id = ? AND live = 1 AND cancel_requested_at_ms IS NULL`;
const END = `UPDATE mirror SET state = ?, outcome = ?, ended_at_ms = ?, version = version + 1
  WHERE id = ? AND live = 1`;
const GIVE_UP_KEY = `UPDATE mirror SET idempotency_key = idempotency_key || ' (unused by ' || id || ')',
  version = version + 1 WHERE id = ? AND live = 0`;

/** The origin's records in SQLite. */
export function createMirrorStore(): MirrorStore {
  return {
    insert,
    get,
    list: (tx, { peer, session, states, limit, before }) =>
      readRows(
        tx,
        readPage(tx, { table: 'mirror', columns: COLUMNS, equals: { peer, session }, states, limit, before }),
        SHAPE,
      ),
    listChildren: (tx, parent, limit) => readRows(tx, tx.prepare(LIST_CHILDREN).all(parent, limit), SHAPE),
    listLiveChildren: (tx, parent) => readRows(tx, tx.prepare(LIST_LIVE_CHILDREN).all(parent), SHAPE),
    peersOfSession: (tx, { origin = '', session }) =>
      tx.prepare(PEERS_OF_SESSION).pluck().all(session, origin).map(String),
    writs: (tx, id) => readWrits(tx, 'mirror', id),
    setWrits(tx, id, writs) {
      tx.prepare(SET_WRITS).run(writsColumn(writs), id);
    },
    countLive: (tx) => Number(tx.prepare(COUNT_LIVE).pluck().get()),
    listLive: (tx) => readRows(tx, tx.prepare(LIST_LIVE).all(), SHAPE),
    findByKey: (tx, session, key) => readRow(tx, tx.prepare(FIND_BY_KEY).get(session, key), SHAPE),
    apply,
    passOver: (tx, id, seq) => (tx.prepare(PASS_OVER).run({ id, seq }).changes === 1 ? get(tx, id) : undefined),
    setAccepted(tx, id) {
      tx.prepare(SET_ACCEPTED).run(id);
      return get(tx, id);
    },
    setUnreachable(tx, id, unreachable) {
      tx.prepare(SET_UNREACHABLE).run({ unreachable: unreachable ? 1 : 0, nowMs: tx.nowMs, id });
      return get(tx, id);
    },
    setCancelRequested(tx, id) {
      tx.prepare(SET_CANCEL).run(tx.nowMs, id);
      return get(tx, id);
    },
    outputEnd: (tx, id) => readOutputEnd(tx, 'mirror_event', id),
    end(tx, id, outcome) {
      const { changes } = tx.prepare(END).run(outcome.state, JSON.stringify(outcome), tx.nowMs, id);
      return changes === 1 ? get(tx, id) : undefined;
    },
    giveUpKey(tx, id) {
      tx.prepare(GIVE_UP_KEY).run(id);
      return get(tx, id);
    },
    events: (tx, id, afterSeq, limit) => readEvents(tx, 'mirror_event', id, afterSeq, limit),
    turn: (tx, id) => readTurn(tx, id),
  };
}

function get(tx: ReadTx, id: string): Mirror | undefined {
  return readRow(tx, tx.prepare(GET).get(id), SHAPE);
}

function insert(tx: WriteTx, mirror: NewMirror): Mirror {
  const { id, peer, peerLabel, session, agent, idempotencyKey, parent = null, origin = null } = mirror;
  const spec = JSON.stringify(mirror.spec);
  const writs = writsColumn(mirror.writs);
  const { changes } = tx
    .prepare(INSERT)
    .run(id, peer, peerLabel, session, agent, idempotencyKey, spec, tx.nowMs, parent, origin, writs);
  const stored = changes === 1 ? get(tx, id) : undefined;
  if (stored === undefined) {
    throw new WritError('CONFLICT', `the task ${quote(id)} or its idempotency key was used before`, {
      nextSteps: ['look the earlier task up by its key instead of making another'],
    });
  }
  return stored;
}

function apply(tx: WriteTx, id: string, event: TaskEvent): Mirror | undefined {
  const change = changeOf(event);
  const moved = tx.prepare(APPLY).get({
    id,
    seq: event.seq,
    state: change.state ?? null,
    granted: change.granted === undefined ? null : JSON.stringify(change.granted),
    outcome: change.outcome === undefined ? null : JSON.stringify(change.outcome),
    nowMs: tx.nowMs,
  }) as { n: number } | undefined;
  if (moved === undefined) return undefined;
  insertEvent(tx, 'mirror_event', moved.n, event);
  return get(tx, id);
}

function changeOf(event: TaskEvent): Partial<Pick<Mirror, 'state' | 'granted' | 'outcome'>> {
  if (event.kind === 'granted') return { granted: event.granted };
  if (event.kind === 'outcome') return { state: event.outcome.state, outcome: event.outcome };
  // The terminal state comes with the outcome, so that nobody sees an end without its reason.
  return event.kind === 'state' && !isTerminal(event.state) ? { state: event.state } : {};
}
