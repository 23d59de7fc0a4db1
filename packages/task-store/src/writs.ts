import type { ReadTx } from '@writ/database';
import { z } from 'zod';

const shape = z.array(z.string());

/** Compact writs as a column holds them; null where there are none. */
export function writsColumn(writs: readonly string[] | undefined): string | null {
  return writs === undefined || writs.length === 0 ? null : JSON.stringify(writs);
}

/** Compact writs of a record, first hop first; none where there are none, or where they cannot be read. */
export function readWrits(tx: ReadTx, table: 'task' | 'mirror', id: string): readonly string[] {
  const row = tx.prepare(`SELECT writs FROM ${table} WHERE id = ?`).get(id) as { writs: string | null } | undefined;
  if (typeof row?.writs !== 'string') return [];
  try {
    // Without its writs a task hands nothing on: unreadable ones take authority away, they give none.
    return shape.safeParse(JSON.parse(row.writs)).data ?? [];
  } catch {
    return [];
  }
}
