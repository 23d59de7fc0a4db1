import type BetterSqlite3 from 'better-sqlite3';
import { Kysely, SqliteDialect, type SqliteStatement } from 'kysely';
import { misuse } from './errors.ts';
import type { Tables } from './tables.ts';

/**
 * Kysely on the node's one connection, for lists. It is given statements that only read: a transaction that it began
 * would still be open when the next write transaction begins, and a write of its own would have no audit row.
 */
export function createReadOnlyKysely(handle: BetterSqlite3.Database): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: new SqliteDialect({
      database: { close() {}, prepare: (sql) => readOnlyStatement(handle.prepare(sql)) },
    }),
  });
}

function readOnlyStatement(statement: BetterSqlite3.Statement): SqliteStatement {
  if (!statement.reader || !statement.readonly) {
    throw misuse('kysely only reads here; write with a prepared statement inside withWriteTx');
  }
  return {
    reader: true,
    all: (parameters) => statement.all(...parameters),
    run() {
      throw misuse('kysely only reads here');
    },
    iterate() {
      throw misuse('a stream would keep the one connection busy between its rows; read a page instead');
    },
  };
}
