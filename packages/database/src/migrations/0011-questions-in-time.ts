import { type Kysely, type Migration, sql } from 'kysely';

/** How many questions an asker put within a time is counted by them alone, and not among those of everybody else. */
export const questionsInTime: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw('CREATE INDEX approval_by_asker ON approval (requested_by, created_at_ms)').execute(db);
  },
};
