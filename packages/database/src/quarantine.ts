import type { Logger } from '@writ/core';
import type { AuditEntry, QuarantinedRow } from './types.ts';

/** Most rows that are remembered; a disk that rots further is known to by then. */
const MOST = 1000;

/** What could not be read since the start; each row is reported once. */
export interface Quarantine {
  add(row: QuarantinedRow): void;
  rows(): readonly QuarantinedRow[];
  /** Audit entries of rows that have none yet; they wait for the next write transaction. */
  pending(): readonly AuditEntry[];
  /** After the commit of the pending ones. */
  settle(count: number): void;
}

export function createQuarantine(logger: Logger): Quarantine {
  const known = new Map<string, QuarantinedRow>();
  const waiting: AuditEntry[] = [];
  return {
    add(row) {
      const key = `${row.table}\n${row.key}`;
      if (known.has(key) || known.size >= MOST) return;
      known.set(key, row);
      logger.error('a stored row cannot be read and is left out', { table: row.table, key: row.key, why: row.reason });
      waiting.push({
        kind: 'node',
        action: 'row.quarantined',
        actor: 'node',
        subject: `${row.table}/${row.key}`,
        details: { reason: row.reason },
      });
    },
    rows: () => [...known.values()],
    pending: () => [...waiting],
    settle(count) {
      waiting.splice(0, count);
    },
  };
}
