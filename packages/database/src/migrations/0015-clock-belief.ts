import { type Kysely, type Migration, sql } from 'kysely';

const STATEMENTS = [
  `ALTER TABLE clock_mark ADD COLUMN settled_ms INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE clock_mark ADD COLUMN awake_ms INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE clock_mark ADD COLUMN doubt_ahead_ms INTEGER`,
  `ALTER TABLE clock_mark ADD COLUMN doubt_since_ms INTEGER`,
  // When something last happened before this start.
  `UPDATE clock_mark SET settled_ms = high_ms`,
];

/** Whether the time is believed, over all starts. */
export const clockBelief: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
