import { insertAudit } from './audit.ts';
import type { AuditAction, AuditKind } from './audit-actions.ts';
import type { StatementCache } from './statements.ts';
import type { AuditEntry } from './types.ts';

/** Refusals that leave nothing else behind, so that whoever asks needs no right, and no yes, to have thousands of them. */
const COUNTED: ReadonlySet<AuditAction> = new Set<AuditAction>([
  'decision.deny',
  'writ.refused',
  'execution.refused',
  'upstream.refused',
  'approval.not-asked',
  'approval.answer-refused',
  'task.reply-refused',
]);

/** How many of one asker and one cause have a row of their own in so many milliseconds; the others are counted. */
const WRITTEN = 4;
const COUNTED_FOR_MS = 60_000;

/** What tells refusals apart: all of it is this node's word, or a peer's id, so that nobody makes more of them by naming others. */
interface Cause {
  readonly kind: AuditKind;
  readonly action: AuditAction;
  readonly actor: string;
  readonly code: string;
  readonly task: string;
}

interface Counted extends Cause {
  readonly since_ms: number;
  readonly written: number;
  readonly more: number;
  readonly last_ms: number;
}

const OF_CAUSE = 'WHERE action = ? AND actor = ? AND code = ? AND task = ?';

/**
 * Appends a row to the audit trail, or counts it with others like it. True: a row was written. INVARIANT: 10 in the transaction
 * of its effect, and the count as durable as a row.
 */
export function insertOrCount(prepare: StatementCache, nowMs: number, entry: AuditEntry): boolean {
  if (!COUNTED.has(entry.action)) {
    insertAudit(prepare, nowMs, entry);
    return true;
  }
  const cause = causeOf(entry);
  const key = [cause.action, cause.actor, cause.code, cause.task];
  const known = prepare(`SELECT * FROM refusal ${OF_CAUSE}`).get(...key) as Counted | undefined;
  const goesOn = known !== undefined && !isOver(known, nowMs);
  if (goesOn && known.written >= WRITTEN) {
    prepare(`UPDATE refusal SET more = more + 1, last_ms = ? ${OF_CAUSE}`).run(nowMs, ...key);
    return false;
  }
  if (known !== undefined && !goesOn) writeCount(prepare, nowMs, known);
  insertAudit(prepare, nowMs, entry);
  if (goesOn) prepare(`UPDATE refusal SET written = written + 1 ${OF_CAUSE}`).run(...key);
  else
    prepare(
      `INSERT OR REPLACE INTO refusal (action, actor, code, task, kind, since_ms, written, more, last_ms)
        VALUES (?, ?, ?, ?, ?, ?, 1, 0, ?)`,
    ).run(...key, cause.kind, nowMs, nowMs);
  return true;
}

/** Writes a row for each cause whose time is over and that more came of than was written. True: there was one. */
export function settleCounted(prepare: StatementCache, nowMs: number): boolean {
  const all = prepare('SELECT * FROM refusal').all() as readonly Counted[];
  const over = all.filter((counted) => isOver(counted, nowMs));
  for (const counted of over) {
    writeCount(prepare, nowMs, counted);
    prepare(`DELETE FROM refusal ${OF_CAUSE}`).run(counted.action, counted.actor, counted.code, counted.task);
  }
  return over.some(({ more }) => more > 0);
}

/** A time that is still to come is one of a clock that was ahead. */
function isOver({ since_ms: sinceMs }: Counted, nowMs: number): boolean {
  return nowMs < sinceMs || nowMs - sinceMs >= COUNTED_FOR_MS;
}

function writeCount(prepare: StatementCache, nowMs: number, { kind, action, actor, code, task, ...of }: Counted): void {
  if (of.more === 0) return;
  insertAudit(prepare, nowMs, {
    ...{ kind, action, actor },
    ...(kind === 'task' ? { subject: task } : {}),
    details: {
      ...(code === '' ? {} : { code }),
      ...(kind === 'task' || task === '' ? {} : { task }),
      ...{ more: of.more, sinceMs: of.since_ms, untilMs: of.last_ms },
    },
  });
}

function causeOf({ kind, action, actor, subject, details }: AuditEntry): Cause {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const task = kind === 'task' ? text(subject) : text(details?.task);
  return { kind, action, actor, code: text(details?.code), task };
}
