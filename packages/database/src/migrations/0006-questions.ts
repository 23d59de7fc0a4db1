import { type Kysely, type Migration, sql } from 'kysely';

const STATEMENTS = [
  // What running tasks asked, turn by turn. `choices` as JSON. What a credential is stands in no row.
  `CREATE TABLE question (
    n INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL, turn INTEGER NOT NULL, id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('input', 'approval', 'credential')), text TEXT NOT NULL, choices TEXT,
    previous TEXT, approval TEXT,
    state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'approved', 'denied', 'expired', 'withdrawn', 'ended')),
    asked_at_ms INTEGER NOT NULL, settled_at_ms INTEGER, settled_by TEXT, answer TEXT, answer_key TEXT, message TEXT,
    UNIQUE (task, id), CHECK (kind <> 'credential' OR answer IS NULL)
  ) STRICT`,
  `CREATE INDEX question_open ON question (task, n) WHERE state = 'open'`,
  `CREATE INDEX question_open_by_approval ON question (approval) WHERE state = 'open' AND approval IS NOT NULL`,
  // INVARIANT: 5 what was answered stays answered, for every statement of every connection.
  `CREATE TRIGGER question_final BEFORE UPDATE OF state ON question WHEN OLD.state <> 'open'
    BEGIN SELECT RAISE(ABORT, 'a question is settled once'); END`,
];

/** Questions of interactive tasks, and what was answered. */
export const questions: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
