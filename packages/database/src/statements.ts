import type BetterSqlite3 from 'better-sqlite3';

/** Prepares a statement once and hands the same one out after that. */
export type StatementCache = (sql: string) => BetterSqlite3.Statement;

/** For texts that the program holds; a text with values pasted in would grow it without end. */
export function createStatementCache(handle: BetterSqlite3.Database): StatementCache {
  const statements = new Map<string, BetterSqlite3.Statement>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = handle.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
}
