import type { ReadTx, WriteTx } from '@writ/database';
import type { Cleared, Leftover, LeftoverStore } from './removal-types.ts';

/** Rows that one transaction takes away of what is left. */
const CLEARED_ROWS = 500;

/** The kind of leftovers that other results may name as well. */
export const evidenceLeftover = 'evidence';

/** What stands for its task in an envelope that cannot be read. */
const UNREADABLE = '';

const LIST = `SELECT kind, name FROM leftover WHERE (kind, name) > (?, ?) ORDER BY kind, name LIMIT ?`;
const SETTLE = 'DELETE FROM leftover WHERE kind = ? AND name = ?';
const LEAVE = `INSERT INTO leftover (kind, name) VALUES ('${evidenceLeftover}', ?) ON CONFLICT DO NOTHING`;
const ROWS = {
  'task-events': `DELETE FROM task_event WHERE task_n = @name AND seq IN
    (SELECT seq FROM task_event WHERE task_n = @name ORDER BY seq LIMIT ${CLEARED_ROWS})`,
  'mirror-events': `DELETE FROM mirror_event WHERE mirror_n = @name AND seq IN
    (SELECT seq FROM mirror_event WHERE mirror_n = @name ORDER BY seq LIMIT ${CLEARED_ROWS})`,
  questions: `DELETE FROM question WHERE n IN (SELECT n FROM question WHERE task = @name LIMIT ${CLEARED_ROWS})`,
} as const;

const SHIPPED = `CASE WHEN json_valid(spec) THEN spec ->> '$.shipped.bundle.sha256' END`;
const IS_NAMED = `SELECT EXISTS (SELECT 1 FROM evidence_name WHERE sha256 = @sha256)
  OR EXISTS (SELECT 1 FROM mirror WHERE ${SHIPPED} = @sha256)`;
const RESULT = `CASE WHEN json_valid(outcome) THEN outcome ->> '$.result' END`;
/**
 * Something is kept whose result this is, whatever the envelope itself says; or what it says it is about is kept, and nobody
 * can read what that came to.
 */
const HAS_TASK = `SELECT EXISTS (SELECT 1 FROM task WHERE ${RESULT} = @sha256)
  OR EXISTS (SELECT 1 FROM mirror WHERE ${RESULT} = @sha256)
  OR EXISTS (SELECT 1 FROM delivery WHERE result = @sha256)
  OR EXISTS (SELECT 1 FROM task WHERE id = @task AND NOT json_valid(outcome))
  OR EXISTS (SELECT 1 FROM mirror WHERE id = @task AND NOT json_valid(outcome))`;
const TASK_OF = 'SELECT task FROM envelope WHERE sha256 = ?';
const DELETE_ENVELOPE = 'DELETE FROM envelope WHERE sha256 = ?';
const NAMES_OF = 'SELECT sha256 FROM evidence_name WHERE named_by = ? LIMIT ?';
const FORGET_NAME = 'DELETE FROM evidence_name WHERE sha256 = ? AND named_by = ?';
const UNREAD = 'SELECT sha256 FROM envelope WHERE task IS NULL LIMIT ?';
const NOTE_NAME = 'INSERT INTO evidence_name (sha256, named_by) VALUES (?, ?) ON CONFLICT DO NOTHING';
const NOTE_TASK = 'UPDATE envelope SET task = ? WHERE sha256 = ?';

/** What is left, in SQLite. */
export function createLeftoverStore(): LeftoverStore {
  return {
    list: (tx, place, limit) =>
      tx.prepare(LIST).all(place?.kind ?? '', place?.name ?? '', limit) as readonly Leftover[],
    clear,
    isNamed,
    settle,
    unread,
    noteNames(tx, envelope, names) {
      for (const name of names) tx.prepare(NOTE_NAME).run(name, envelope);
    },
    noteRead(tx, envelope, task) {
      tx.prepare(NOTE_TASK).run(task, envelope);
    },
  };
}

function clear(tx: WriteTx, leftover: Leftover): Cleared {
  switch (leftover.kind) {
    case 'task-events':
    case 'mirror-events':
    case 'questions': {
      const { changes } = tx.prepare(ROWS[leftover.kind]).run({ name: leftover.name });
      return changes === CLEARED_ROWS ? { kind: 'more', rows: changes } : done(tx, leftover, changes);
    }
    case 'transcript':
    case 'copy':
      return { kind: 'file', rows: 0 };
    case 'evidence':
      return clearEvidence(tx, leftover);
  }
}

function done(tx: WriteTx, leftover: Leftover, rows: number): Cleared {
  settle(tx, leftover);
  return { kind: 'done', rows: rows + 1 };
}

/** An envelope goes once nothing names it, and what it named is looked at after it. */
function clearEvidence(tx: WriteTx, leftover: Leftover): Cleared {
  const { name: sha256 } = leftover;
  const envelope = tx.prepare(TASK_OF).get(sha256) as { readonly task: string | null } | undefined;
  if (isNamed(tx, sha256)) return done(tx, leftover, 0);
  if (unread(tx, 1).length > 0) return { kind: 'later', rows: 0 };
  if (envelope === undefined) return { kind: 'file', rows: 0 };
  if (tx.prepare(HAS_TASK).pluck().get({ task: envelope.task, sha256 }) === 1) return done(tx, leftover, 0);
  // What it names is not known, so it keeps that for as long as it is not read: by a later version of this program, perhaps.
  if (envelope.task === UNREADABLE) return { kind: 'later', rows: 0 };
  const names = tx.prepare(NAMES_OF).pluck().all(sha256, CLEARED_ROWS).map(String);
  for (const name of names) {
    tx.prepare(FORGET_NAME).run(name, sha256);
    tx.prepare(LEAVE).run(name);
  }
  const rows = 2 * names.length;
  if (names.length === CLEARED_ROWS) return { kind: 'more', rows };
  tx.prepare(DELETE_ENVELOPE).run(sha256);
  return done(tx, leftover, rows + 1);
}

function unread(tx: ReadTx, limit: number): readonly string[] {
  return tx.prepare(UNREAD).pluck().all(limit).map(String);
}

function isNamed(tx: ReadTx, sha256: string): boolean {
  return tx.prepare(IS_NAMED).pluck().get({ sha256 }) === 1;
}

function settle(tx: WriteTx, { kind, name }: Leftover): void {
  tx.prepare(SETTLE).run(kind, name);
}
