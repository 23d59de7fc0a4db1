import { type Kysely, type Migration, sql } from 'kysely';

const STATEMENTS = [
  `ALTER TABLE delivery ADD COLUMN refused_at_ms INTEGER`,
  `DROP INDEX delivery_unacknowledged`,
  `CREATE INDEX delivery_unacknowledged ON delivery (peer, received_at_ms)
    WHERE acknowledged_at_ms IS NULL AND refused_at_ms IS NULL`,
  // Nothing looks for tasks by their deadline.
  `DROP INDEX task_live_by_deadline`,
];

/** Results whose executor takes no receipt. */
export const receiptsRefused: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
