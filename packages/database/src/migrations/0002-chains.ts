import { type Kysely, type Migration, sql } from 'kysely';

const STATEMENTS = [
  // Compact writs of a task that came with some, first hop first, JSON.
  'ALTER TABLE task ADD COLUMN writs TEXT',
  // The task that handed this one on, and the origin of its session, where that is another node.
  'ALTER TABLE mirror ADD COLUMN parent TEXT',
  'ALTER TABLE mirror ADD COLUMN origin TEXT',
  'ALTER TABLE mirror ADD COLUMN writs TEXT',
  'CREATE INDEX mirror_by_parent ON mirror (parent, n) WHERE parent IS NOT NULL',
];

/** Writs of both sides, and which task handed on which. */
export const chains: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
