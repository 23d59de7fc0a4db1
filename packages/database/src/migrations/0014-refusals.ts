import { type Kysely, type Migration, sql } from 'kysely';

/** How often somebody was refused the same since a row of it was written; what has no code or no task has an empty one. */
export const refusals: Migration = {
  async up(db: Kysely<unknown>) {
    const statement = `CREATE TABLE refusal (
      action TEXT NOT NULL, actor TEXT NOT NULL, code TEXT NOT NULL, task TEXT NOT NULL, kind TEXT NOT NULL,
      since_ms INTEGER NOT NULL, written INTEGER NOT NULL, more INTEGER NOT NULL, last_ms INTEGER NOT NULL,
      PRIMARY KEY (action, actor, code, task)
    ) STRICT, WITHOUT ROWID`;
    await sql.raw(statement).execute(db);
  },
};
