import { type Kysely, type Migration, sql } from 'kysely';

const STATEMENTS = [
  // Envelopes of signed results, made here or received, by their own SHA-256.
  'CREATE TABLE envelope (sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID',
  // What the sender of a task executed here signed for.
  `CREATE TABLE receipt (
    task TEXT PRIMARY KEY, result TEXT NOT NULL, bytes BLOB NOT NULL, at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  // Results that came back, by the task that was asked for; `standing` as JSON.
  `CREATE TABLE delivery (
    mirror TEXT PRIMARY KEY, peer TEXT NOT NULL, result TEXT NOT NULL, standing TEXT NOT NULL,
    received_at_ms INTEGER NOT NULL, acknowledged_at_ms INTEGER
  ) STRICT, WITHOUT ROWID`,
  // What a writ was used for, until it ends.
  `CREATE TABLE used_writ (
    sender TEXT NOT NULL, nonce TEXT NOT NULL, request TEXT NOT NULL, until_ms INTEGER NOT NULL,
    PRIMARY KEY (sender, nonce)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX used_writ_until ON used_writ (until_ms)',
  'CREATE INDEX delivery_unacknowledged ON delivery (peer, received_at_ms) WHERE acknowledged_at_ms IS NULL',
];

/** Signed results and receipts of both ends. */
export const results: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
