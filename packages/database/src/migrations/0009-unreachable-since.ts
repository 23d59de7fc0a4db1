import { type Kysely, type Migration, sql } from 'kysely';

const STATEMENTS = [
  `ALTER TABLE mirror ADD COLUMN unreachable_since_ms INTEGER`,
  // Since when is not known: the next try says so anew. What has ended keeps what it says about its end.
  `UPDATE mirror SET unreachable = 0 WHERE live = 1`,
];

/** Since when an executor has not been reached. */
export const unreachableSince: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
