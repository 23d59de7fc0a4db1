import { type Kysely, type Migration, sql } from 'kysely';

/** The task that an audit row is about, as SQL; NULL: it is about none. Details that are no JSON were not written by a node. */
export const TASK_OF_ROW = `CASE WHEN kind = 'task' THEN subject WHEN json_valid(details) THEN details ->> '$.task' END`;

/** The audit rows of a task are found by it, and not among those of everybody else. */
export const rowsOfATask: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw(`CREATE INDEX audit_by_task ON audit (${TASK_OF_ROW})`).execute(db);
  },
};
