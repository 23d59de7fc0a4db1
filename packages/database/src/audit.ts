import type { Json } from '@writ/core';
import { TASK_OF_ROW } from './migrations/0008-rows-of-a-task.ts';
import type { StatementCache } from './statements.ts';
import type { AuditEntry, AuditRow, AuditTrail, TaskTrail } from './types.ts';

/** Appends one row to the audit trail. INVARIANT: 10 in the transaction of its effect. */
export function insertAudit(prepare: StatementCache, atMs: number, entry: AuditEntry): void {
  prepare('INSERT INTO audit (at_ms, kind, action, actor, subject, details) VALUES (?, ?, ?, ?, ?, ?)').run(
    atMs,
    entry.kind,
    entry.action,
    entry.actor,
    entry.subject ?? null,
    entry.details === undefined ? null : JSON.stringify(entry.details),
  );
}

interface StoredRow {
  readonly seq: number;
  readonly at_ms: number;
  readonly kind: string;
  readonly action: string;
  readonly actor: string;
  readonly subject: string | null;
  readonly details: string | null;
}

/** The audit trail of a connection. */
export function createAuditTrail(prepare: StatementCache): AuditTrail {
  return {
    auditTail: (limit) => readRows(prepare('SELECT * FROM audit ORDER BY seq DESC LIMIT ?').all(limit)),
    auditAfter: (seq, limit) =>
      readRows(prepare('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?').all(seq, limit)),
    auditEnd: () => numberOf(prepare('SELECT coalesce(max(seq), 0) AS seq FROM audit').get()),
    // What AUTOINCREMENT remembers.
    auditIssued: () => numberOf(prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'audit'`).get()),
  };
}

const OF_TASKS = `FROM audit WHERE ${TASK_OF_ROW} IN (SELECT value FROM json_each(?))`;

/** The rows of single tasks in the audit trail of a connection. */
export function createTaskTrail(prepare: StatementCache): TaskTrail {
  return {
    auditOfTasks: (tasks, skip, limit) =>
      readRows(prepare(`SELECT * ${OF_TASKS} ORDER BY seq LIMIT ? OFFSET ?`).all(JSON.stringify(tasks), limit, skip)),
    auditCountOfTasks: (tasks) => numberOf(prepare(`SELECT count(*) AS seq ${OF_TASKS}`).get(JSON.stringify(tasks))),
  };
}

function numberOf(row: unknown): number {
  return (row as { readonly seq: number } | undefined)?.seq ?? 0;
}

function readRows(rows: readonly unknown[]): readonly AuditRow[] {
  return (rows as readonly StoredRow[]).map((row) => ({
    seq: row.seq,
    atMs: row.at_ms,
    kind: row.kind,
    action: row.action,
    actor: row.actor,
    ...(row.subject === null ? {} : { subject: row.subject }),
    ...(row.details === null ? {} : { details: parseDetails(row.details) }),
  }));
}

/**
 * Details as written by `insertAudit`; any other text is shown as it is, because a trail hides nothing: not a key that stands
 * there twice, nor a number that is read as another.
 */
function parseDetails(text: string): Readonly<Record<string, Json>> {
  try {
    const details = JSON.parse(text) as Readonly<Record<string, Json>> | null;
    if (typeof details === 'object' && details !== null && JSON.stringify(details) === text) return details;
  } catch {
    // It is no JSON.
  }
  return { damaged: text };
}
