import { nextTurn } from '@writ/core';
import type { AuditRow } from '@writ/database';
import type { AuditRows } from '../log/audit-rows.ts';

/** Rows that are read at once. */
const PAGE = 256;

/** The rows of a database one after the other, in slices that leave room for other work. */
export interface RowSource {
  /** The next row with number `seq`; undefined where the next one is another, or there is none. */
  take(seq: number): Promise<AuditRow | undefined>;
  /** The row behind the last one that was taken, where it is here already. */
  ahead(): AuditRow | undefined;
  /** Number of the newest row; it may grow. */
  end(): number;
}

export function createRowSource(rows: AuditRows, checkpoint: (seq: number) => void): RowSource {
  let page: readonly AuditRow[] = [];
  let at = 0;
  return {
    async take(seq) {
      if (at >= page.length) {
        await nextTurn();
        checkpoint(seq - 1);
        page = rows.auditAfter(seq - 1, PAGE);
        at = 0;
      }
      const row = page[at];
      if (row?.seq !== seq) return undefined;
      at++;
      return row;
    },
    ahead: () => page[at],
    end: () => rows.auditEnd(),
  };
}
