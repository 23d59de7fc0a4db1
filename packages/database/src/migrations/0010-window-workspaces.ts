import { type Kysely, type Migration, sql } from 'kysely';

/** The workspace that a stored basis names, as SQL; NULL: none, or it cannot be read. */
const named = (json: string, path: string): string =>
  `CASE WHEN json_valid(${json}) THEN NULLIF(${json} ->> '$.${path}', '') END`;

/** Whether a stored basis tells what was asked for, as SQL. */
const told = (json: string, path: string): string =>
  `CASE WHEN json_valid(${json}) THEN json_type(${json}, '$.${path}') = 'object' END`;

const STATEMENTS = [
  `ALTER TABLE window ADD COLUMN workspace TEXT CHECK (workspace <> '')`,
  // One that is open keeps what its plan or its command was asked for, and loses every other workspace; of which that
  // cannot be told, it is closed: never more than a person said yes to.
  `UPDATE window SET workspace = (SELECT CASE kind
      WHEN 'plan' THEN ${named('subject', 'basis.ask.workspace')}
      WHEN 'execution' THEN (SELECT ${named('e.basis', 'ask.workspace')} FROM execution e
        WHERE e.id = ${named('approval.subject', 'execution')}) END
    FROM approval WHERE approval.id = window.approval)`,
  `UPDATE window SET closed_at_ms = max(opened_at_ms, unixepoch() * 1000), closed_by = 'upgrade', version = version + 1
    WHERE closed_at_ms IS NULL AND NOT coalesce((SELECT CASE kind
      WHEN 'plan' THEN ${told('subject', 'basis.ask')}
      WHEN 'execution' THEN (SELECT ${told('e.basis', 'ask')} FROM execution e
        WHERE e.id = ${named('approval.subject', 'execution')}) END
    FROM approval WHERE approval.id = window.approval), 0)`,
];

/** Which workspace a window is about. */
export const windowWorkspaces: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
