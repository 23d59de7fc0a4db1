import { type Kysely, type Migration, sql } from 'kysely';

/** The signed word that a session has ended, where it goes on to nodes that its origin does not know. */
export const sessionEnds: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw('ALTER TABLE session_end ADD COLUMN statement BLOB').execute(db);
  },
};
