import { type Kysely, type Migration, sql } from 'kysely';

const STATEMENTS = [
  // Who has to hear of the end of a session besides those that have a task of it.
  `CREATE TABLE session_holder (
    origin TEXT NOT NULL, session TEXT NOT NULL, peer TEXT NOT NULL, PRIMARY KEY (origin, session, peer)
  ) STRICT, WITHOUT ROWID`,
  // What was asked of peers as gated commands, under keys of this node's. \`argv\` as JSON. No \`id\` and no \`state\`: the
  // peer has not answered yet.
  `CREATE TABLE sent_command (
    n INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, peer TEXT NOT NULL, id TEXT,
    session TEXT NOT NULL, agent TEXT NOT NULL, profile TEXT, argv TEXT NOT NULL, state TEXT, class TEXT, code TEXT,
    sent_at_ms INTEGER NOT NULL, seen_at_ms INTEGER, is_final INTEGER NOT NULL DEFAULT 0,
    UNIQUE (peer, id)
  ) STRICT`,
  `CREATE INDEX sent_command_by_age ON sent_command (sent_at_ms)`,
];

/** Gated commands that were asked of peers, and which peers hold something for a session. */
export const askedOfPeers: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
