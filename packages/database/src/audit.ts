import type { Json } from '@writ/core';
import type { StatementCache } from './statements.ts';
import type { AuditEntry, AuditRow } from './types.ts';

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

/** The last `limit` rows, newest first. */
export function readAuditTail(prepare: StatementCache, limit: number): readonly AuditRow[] {
  return readRows(prepare('SELECT * FROM audit ORDER BY seq DESC LIMIT ?').all(limit));
}

/** At most `limit` rows behind `seq`, oldest first. */
export function readAuditAfter(prepare: StatementCache, seq: number, limit: number): readonly AuditRow[] {
  return readRows(prepare('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?').all(seq, limit));
}

/** Number of the newest row; 0: there is none. */
export function readAuditEnd(prepare: StatementCache): number {
  return (prepare('SELECT coalesce(max(seq), 0) AS seq FROM audit').get() as { readonly seq: number }).seq;
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

/** Details as written by `insertAudit`; a damaged text is shown as it is, because a trail hides nothing. */
function parseDetails(text: string): Readonly<Record<string, Json>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, Json>>;
  } catch {
    return { damaged: text };
  }
}
