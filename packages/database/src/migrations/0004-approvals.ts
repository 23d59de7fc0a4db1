import { type Kysely, type Migration, sql } from 'kysely';

/** INVARIANT: 6 a key with an empty part is none: such a row cannot be stored, whatever the program asks for. */
const WHOLE_KEY = `CHECK (origin <> '' AND session <> '' AND agent <> '')`;

const APPROVER = `CREATE TABLE approver (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, public_key TEXT NOT NULL, label TEXT NOT NULL,
  enrolled_at_ms INTEGER NOT NULL, removed_at_ms INTEGER
) STRICT, WITHOUT ROWID`;

const APPROVAL = [
  `CREATE TABLE approval (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, origin TEXT NOT NULL,
    session TEXT NOT NULL, agent TEXT NOT NULL, task TEXT, requested_by TEXT NOT NULL, digest TEXT NOT NULL,
    preview TEXT NOT NULL, subject TEXT NOT NULL, scopes TEXT NOT NULL, generation INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'expired', 'cancelled')),
    created_at_ms INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL, decided_at_ms INTEGER, decided_by TEXT, scope TEXT,
    proof TEXT, use_by_ms INTEGER, used_at_ms INTEGER, version INTEGER NOT NULL, ${WHOLE_KEY}
  ) STRICT`,
  // One question that waits is asked once, however often and by however many calls at the same time.
  `CREATE UNIQUE INDEX approval_waiting ON approval (origin, session, agent, kind, IFNULL(task, ''), digest)
    WHERE state = 'pending'`,
  `CREATE INDEX approval_waiting_by_asker ON approval (requested_by) WHERE state = 'pending'`,
  `CREATE INDEX approval_waiting_by_task ON approval (task) WHERE state = 'pending' AND task IS NOT NULL`,
  `CREATE INDEX approval_waiting_by_expiry ON approval (expires_at_ms) WHERE state = 'pending'`,
  `CREATE INDEX approval_by_session ON approval (origin, session, n)`,
  `CREATE INDEX approval_by_decision ON approval (decided_at_ms) WHERE decided_at_ms IS NOT NULL`,
  // INVARIANT: 5 what was decided stays decided, for every statement of every connection.
  `CREATE TRIGGER approval_final BEFORE UPDATE OF state ON approval WHEN OLD.state <> 'pending'
    BEGIN SELECT RAISE(ABORT, 'an approval is decided once'); END`,
];

const WINDOW = [
  `CREATE TABLE window (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('assent', 'destructive')), origin TEXT NOT NULL, session TEXT NOT NULL,
    agent TEXT NOT NULL, target TEXT, profile TEXT NOT NULL, steps TEXT, approval TEXT NOT NULL,
    opened_at_ms INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL, max_uses INTEGER, uses INTEGER NOT NULL,
    closed_at_ms INTEGER, closed_by TEXT, version INTEGER NOT NULL, ${WHOLE_KEY},
    CHECK ((kind = 'destructive') = (target IS NOT NULL)), CHECK (target <> '')
  ) STRICT`,
  `CREATE INDEX window_open ON window (origin, session, agent, kind) WHERE closed_at_ms IS NULL`,
  `CREATE INDEX window_by_expiry ON window (expires_at_ms)`,
  // INVARIANT: 6 what was closed never opens again.
  `CREATE TRIGGER window_stays_closed BEFORE UPDATE OF closed_at_ms ON window WHEN OLD.closed_at_ms IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'a window is closed once'); END`,
];

const EXECUTION = [
  `CREATE TABLE execution (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, origin TEXT NOT NULL, session TEXT NOT NULL,
    agent TEXT NOT NULL, task TEXT, requested_by TEXT NOT NULL, idempotency_key TEXT NOT NULL, class TEXT NOT NULL,
    known INTEGER NOT NULL, needs TEXT NOT NULL, target TEXT, profile TEXT NOT NULL, digest TEXT NOT NULL,
    request TEXT NOT NULL, basis TEXT NOT NULL, preview TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('proposed', 'pending_approval', 'running', 'completed', 'failed', 'denied',
      'expired', 'cancelled', 'outcome_unknown')),
    approval TEXT, window TEXT, lease TEXT, created_at_ms INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL,
    started_at_ms INTEGER, ended_at_ms INTEGER, outcome TEXT, version INTEGER NOT NULL,
    live INTEGER NOT NULL GENERATED ALWAYS AS (state IN ('proposed', 'pending_approval', 'running')) VIRTUAL,
    ${WHOLE_KEY},
    UNIQUE (requested_by, origin, session, idempotency_key)
  ) STRICT`,
  `CREATE INDEX execution_live ON execution (state, n) WHERE live = 1`,
  `CREATE INDEX execution_live_by_approval ON execution (approval) WHERE live = 1 AND approval IS NOT NULL`,
  `CREATE INDEX execution_by_session ON execution (origin, session, n)`,
  // INVARIANT: 8 an ending is an ending.
  `CREATE TRIGGER execution_final BEFORE UPDATE OF state ON execution
    WHEN OLD.state NOT IN ('proposed', 'pending_approval', 'running')
    BEGIN SELECT RAISE(ABORT, 'an execution ends once'); END`,
];

const SESSION_END = [
  // Nodes that hold something for a session that has ended, until they were told.
  `CREATE TABLE session_end (
    origin TEXT NOT NULL, session TEXT NOT NULL, peer TEXT NOT NULL, at_ms INTEGER NOT NULL,
    PRIMARY KEY (origin, session, peer)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX session_open ON session (origin, started_at_ms) WHERE ended_at_ms IS NULL`,
];

/** Approvals, who answers them, the windows that they open, gated commands, and ends of sessions that others are owed. */
export const approvals: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [APPROVER, ...APPROVAL, ...WINDOW, ...EXECUTION, ...SESSION_END]) {
      await sql.raw(statement).execute(db);
    }
  },
};
