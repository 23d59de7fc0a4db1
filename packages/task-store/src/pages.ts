import type { ReadTx } from '@writ/database';
import type { TaskState } from './types.ts';

/** A page of a table that counts insertions in `n`, newest first. */
export interface PageQuery {
  readonly table: 'task' | 'mirror';
  readonly columns: string;
  /** Columns that must equal a value; undefined values do not limit. */
  readonly equals: Readonly<Record<string, string | undefined>>;
  readonly states: readonly TaskState[] | undefined;
  readonly limit: number;
  /** Id that everything on the page sorts before; one that is unknown gives an empty page. */
  readonly before: string | undefined;
}

/**
 * One walk down an index for each state, merged: `state IN (…) ORDER BY n` would have to sort everything that matches
 * before it can give the newest page, which grows with the table.
 */
export function readPage(tx: ReadTx, query: PageQuery): readonly unknown[] {
  const belowN = query.before === undefined ? Number.MAX_SAFE_INTEGER : findN(tx, query.table, query.before);
  if (belowN === undefined) return [];
  const states = query.states === undefined ? [undefined] : [...new Set(query.states)];
  const rows = states.flatMap((state) => walk(tx, query, { ...query.equals, state }, belowN));
  return rows.sort((a, b) => b.n - a.n).slice(0, query.limit);
}

interface PagedRow {
  readonly n: number;
}

function walk(
  tx: ReadTx,
  query: PageQuery,
  equals: Readonly<Record<string, string | undefined>>,
  belowN: number,
): readonly PagedRow[] {
  const given = Object.entries(equals).filter(([, value]) => value !== undefined);
  const where = [...given.map(([column]) => `${column} = ?`), 'n < ?'].join(' AND ');
  const sql = `SELECT n, ${query.columns} FROM ${query.table} WHERE ${where} ORDER BY n DESC LIMIT ?`;
  return tx.prepare(sql).all(...given.map(([, value]) => value), belowN, query.limit) as PagedRow[];
}

function findN(tx: ReadTx, table: PageQuery['table'], id: string): number | undefined {
  const row = tx.prepare(`SELECT n AS found FROM ${table} WHERE id = ?`).get(id) as { found: number } | undefined;
  return row?.found;
}
