import { quote, WritError } from '@writ/core';
import {
  countColumn,
  fieldsOf,
  jsonColumn,
  type ReadTx,
  type RowShape,
  readRow,
  readRows,
  type WriteTx,
} from '@writ/database';
import { z } from 'zod';
import {
  type NewQuestion,
  QUESTION_KINDS,
  QUESTION_STATES,
  type Question,
  type QuestionStore,
} from './question-types.ts';

const COLUMNS = `task, turn, id, kind, text, choices, previous, approval, state, asked_at_ms AS askedAtMs,
  settled_at_ms AS settledAtMs, settled_by AS settledBy, answer, answer_key AS answerKey, message`;

const SHAPE: RowShape<Question> = {
  table: 'question',
  key: 'id',
  shape: z.object(
    fieldsOf<Question>()({
      task: z.string(),
      turn: countColumn,
      id: z.string(),
      kind: z.enum(QUESTION_KINDS),
      text: z.string(),
      choices: jsonColumn(z.array(z.string())).optional(),
      previous: z.enum(['accepted', 'refused']).optional(),
      approval: z.string().optional(),
      state: z.enum(QUESTION_STATES),
      askedAtMs: countColumn,
      settledAtMs: countColumn.optional(),
      settledBy: z.string().optional(),
      answer: z.string().optional(),
      answerKey: z.string().optional(),
      message: z.string().optional(),
    }),
  ),
};

const INSERT = `INSERT INTO question (task, turn, id, kind, text, choices, previous, approval, state, asked_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open', ?) ON CONFLICT DO NOTHING`;
const GET = `SELECT ${COLUMNS} FROM question WHERE task = ? AND id = ?`;
const LIST_OPEN = `SELECT ${COLUMNS} FROM question WHERE state = 'open' AND task = ? ORDER BY n`;
const BY_APPROVAL = `SELECT ${COLUMNS} FROM question WHERE state = 'open' AND approval = ?`;
const COUNTS = `SELECT COUNT(*) AS asked, IFNULL(MAX(turn), 0) AS turn,
  IFNULL(SUM(turn = (SELECT MAX(turn) FROM question WHERE task = @task)), 0) AS inTurn FROM question WHERE task = @task`;
const LAST_CREDENTIAL = `SELECT ${COLUMNS} FROM question WHERE task = ? AND kind = 'credential' AND state = 'answered'
  ORDER BY n DESC LIMIT 1`;
const SETTLE = `UPDATE question SET state = @state, settled_at_ms = @nowMs, settled_by = @by, answer = @answer,
  answer_key = @answerKey, message = @message WHERE task = @task AND id = @id AND state = 'open'`;

/** Questions of tasks in SQLite. */
export function createQuestionStore(): QuestionStore {
  return {
    insert,
    get,
    listOpen: (tx, task) => readRows(tx, tx.prepare(LIST_OPEN).all(task), SHAPE),
    findOpenByApproval: (tx, approval) => readRow(tx, tx.prepare(BY_APPROVAL).get(approval), SHAPE),
    counts: (tx, task) => tx.prepare(COUNTS).get({ task }) as ReturnType<QuestionStore['counts']>,
    lastCredential: (tx, task) => readRow(tx, tx.prepare(LAST_CREDENTIAL).get(task), SHAPE),
    settle(tx, task, id, { state, by, answer = null, answerKey = null, message = null }) {
      const settled = { task, id, state, by, answer, answerKey, message, nowMs: tx.nowMs };
      return tx.prepare(SETTLE).run(settled).changes === 1 ? get(tx, task, id) : undefined;
    },
  };
}

function get(tx: ReadTx, task: string, id: string): Question | undefined {
  return readRow(tx, tx.prepare(GET).get(task, id), SHAPE);
}

function insert(tx: WriteTx, { task, turn, id, kind, text, choices, previous, approval }: NewQuestion): Question {
  const offered = choices === undefined ? null : JSON.stringify(choices);
  const row = [task, turn, id, kind, text, offered, previous ?? null, approval ?? null, tx.nowMs];
  const stored = tx.prepare(INSERT).run(...row).changes === 1 ? get(tx, task, id) : undefined;
  if (stored !== undefined) return stored;
  throw new WritError('DATABASE_ERROR', `question ${quote(id)} cannot be stored`);
}
