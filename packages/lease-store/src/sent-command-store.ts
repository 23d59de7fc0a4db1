import { LEAST_KEPT_MS } from '@writ/core';
import { countColumn, fieldsOf, jsonColumn, type ReadTx, type RowShape, readRow, readRows } from '@writ/database';
import { z } from 'zod';
import { EXECUTION_CLASSES, EXECUTION_STATES } from './execution-types.ts';
import type { SentCommand, SentCommandNews, SentCommandStore } from './sent-command-types.ts';

/** A row: what the peer said last lies beside the rest. */
type Row = Omit<SentCommand, 'known'> & Partial<SentCommandNews> & { readonly seenAtMs?: number };

const SHAPE: RowShape<Row> = {
  table: 'sent_command',
  key: 'key',
  shape: z.object(
    fieldsOf<Row>()({
      key: z.string().min(1),
      peer: z.string().min(1),
      id: z.string().min(1).optional(),
      session: z.string().min(1),
      agent: z.string(),
      profile: z.string().optional(),
      argv: jsonColumn(z.array(z.string()).readonly()),
      state: z.enum([...EXECUTION_STATES, 'refused']).optional(),
      class: z.enum(EXECUTION_CLASSES).optional(),
      code: z.string().optional(),
      sentAtMs: countColumn,
      seenAtMs: countColumn.optional(),
    }),
  ),
};

const COLUMNS = `key, peer, id, session, agent, profile, argv, state, class, code, sent_at_ms AS sentAtMs,
  seen_at_ms AS seenAtMs`;
const INSERT = `INSERT INTO sent_command (key, peer, id, session, agent, profile, argv, sent_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const FIND = `SELECT ${COLUMNS} FROM sent_command WHERE peer = ? AND id = ?`;
const NAME = 'UPDATE OR IGNORE sent_command SET id = ? WHERE peer = ? AND key = ? AND id IS NULL';
const LIST = `SELECT ${COLUMNS} FROM sent_command ORDER BY n DESC LIMIT ?`;
// Nothing is written where the peer says what it said before.
const NOTE = `UPDATE sent_command SET state = @state, class = IFNULL(@class, class), code = @code, seen_at_ms = @now,
  is_final = @isFinal WHERE peer = @peer AND (key = @key OR id = @id) AND is_final = 0
  AND (state IS NOT @state OR code IS NOT @code OR is_final <> @isFinal)
  AND (@state <> 'refused' OR IFNULL(state, 'refused') = 'refused')`;
const PRUNE = `DELETE FROM sent_command WHERE n IN
  (SELECT n FROM sent_command WHERE sent_at_ms <= ? ORDER BY sent_at_ms LIMIT ?)`;

/** What was asked of peers, in SQLite. */
export function createSentCommandStore(): SentCommandStore {
  return {
    insert(tx, { key, peer, id, session, agent, profile, argv }) {
      tx.prepare(INSERT).run(key, peer, id ?? null, session, agent, profile ?? null, JSON.stringify(argv), tx.nowMs);
    },
    find: (tx, { peer, id }) => sentOf(readRow(tx, tx.prepare(FIND).get(peer, id), SHAPE)),
    name(tx, { peer, key }, id) {
      tx.prepare(NAME).run(id, peer, key);
    },
    list: (tx, limit) => list(tx, limit),
    note: (tx, whose, { state, class: of, code }, isFinal) =>
      tx.prepare(NOTE).run({
        ...{ peer: whose.peer, key: 'key' in whose ? whose.key : null, id: 'id' in whose ? whose.id : null },
        ...{ state, class: of ?? null, code: code ?? null, now: tx.nowMs, isFinal: isFinal ? 1 : 0 },
      }).changes === 1,
    prune: (tx, limit) => tx.prepare(PRUNE).run(tx.nowMs - LEAST_KEPT_MS, limit).changes,
  };
}

function list(tx: ReadTx, limit: number): readonly SentCommand[] {
  return readRows(tx, tx.prepare(LIST).all(limit), SHAPE).flatMap((row) => sentOf(row) ?? []);
}

function sentOf(row: Row | undefined): SentCommand | undefined {
  if (row === undefined) return undefined;
  const { state, class: of, code, seenAtMs, ...sent } = row;
  if (state === undefined || seenAtMs === undefined) return sent;
  const said = { ...(of === undefined ? {} : { class: of }), ...(code === undefined ? {} : { code }) };
  return { ...sent, known: { state, ...said, seenAtMs } };
}
