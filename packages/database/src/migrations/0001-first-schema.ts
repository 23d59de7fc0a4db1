import { type Kysely, type Migration, sql } from 'kysely';

const NODE = [
  `CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL, kind TEXT NOT NULL, action TEXT NOT NULL,
    actor TEXT NOT NULL, subject TEXT, details TEXT
  ) STRICT`,
  // INVARIANT: 10 what was audited stays: no statement of this program or of anybody else's connection changes it.
  `CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit rows are append-only'); END`,
  `CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit rows are append-only'); END`,
  // REPLACE removes the row in its way without asking a delete trigger.
  `CREATE TRIGGER audit_no_replace BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'audit rows are append-only'); END`,
  `CREATE TABLE clock_mark (id INTEGER PRIMARY KEY CHECK (id = 1), high_ms INTEGER NOT NULL) STRICT`,
  `INSERT INTO clock_mark (id, high_ms) VALUES (1, 0)`,
  `CREATE TABLE node_fact (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID`,
];

const AUTHORITY = [
  `CREATE TABLE lease (
    id TEXT PRIMARY KEY, peer TEXT NOT NULL, origin TEXT NOT NULL, session TEXT, profile TEXT NOT NULL,
    closure TEXT NOT NULL, workspaces TEXT NOT NULL, issued_by TEXT NOT NULL, issued_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL, max_expires_at_ms INTEGER NOT NULL, max_uses INTEGER, uses INTEGER NOT NULL,
    revoked_at_ms INTEGER, version INTEGER NOT NULL
  ) STRICT`,
  `CREATE INDEX lease_by_peer ON lease (peer, origin, expires_at_ms)`,
  `CREATE INDEX lease_by_expiry ON lease (expires_at_ms)`,
  `CREATE INDEX lease_by_revocation ON lease (revoked_at_ms) WHERE revoked_at_ms IS NOT NULL`,
  `CREATE TABLE session (
    origin TEXT NOT NULL, id TEXT NOT NULL, agent TEXT NOT NULL, started_at_ms INTEGER NOT NULL, ended_at_ms INTEGER,
    PRIMARY KEY (origin, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE token (
    hash TEXT PRIMARY KEY, prefix TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('host', 'task')),
    task TEXT, origin TEXT, session TEXT, created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX token_by_prefix ON token (prefix)`,
  `CREATE INDEX token_by_task ON token (task) WHERE task IS NOT NULL`,
  `CREATE TABLE request_log (
    subject TEXT NOT NULL, at_s INTEGER NOT NULL, requests INTEGER NOT NULL, PRIMARY KEY (subject, at_s)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX request_log_by_time ON request_log (at_s)`,
  `CREATE TABLE invite (
    id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL, profiles TEXT NOT NULL, workspaces TEXT NOT NULL, lease_ms INTEGER,
    created_at_ms INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL, used_at_ms INTEGER
  ) STRICT, WITHOUT ROWID`,
];

/** True while a task or mirror is not terminal; partial indexes on it keep live work cheap to find among a million rows. */
const LIVE = `live INTEGER NOT NULL GENERATED ALWAYS AS
  (state NOT IN ('completed', 'failed', 'cancelled', 'rejected', 'lost')) VIRTUAL`;

const WORK = [
  `CREATE TABLE task (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, sender TEXT NOT NULL, origin TEXT NOT NULL,
    session TEXT NOT NULL, agent TEXT NOT NULL, chain TEXT NOT NULL, idempotency_key TEXT NOT NULL,
    request_digest TEXT NOT NULL, spec TEXT NOT NULL, bounds TEXT NOT NULL, granted TEXT NOT NULL, state TEXT NOT NULL,
    epoch INTEGER NOT NULL, last_seq INTEGER NOT NULL, created_at_ms INTEGER NOT NULL, deadline_ms INTEGER,
    cancel_requested_at_ms INTEGER, attempt_nonce TEXT, outcome TEXT, version INTEGER NOT NULL, ${LIVE},
    UNIQUE (sender, idempotency_key)
  ) STRICT`,
  `CREATE INDEX task_by_sender ON task (sender, n)`,
  `CREATE INDEX task_by_state ON task (state, n)`,
  `CREATE INDEX task_by_sender_state ON task (sender, state, n)`,
  `CREATE INDEX task_live ON task (n) WHERE live = 1`,
  `CREATE INDEX task_live_by_sender ON task (sender) WHERE live = 1`,
  `CREATE INDEX task_live_by_deadline ON task (deadline_ms) WHERE live = 1`,
  `CREATE TABLE task_event (
    task_n INTEGER NOT NULL REFERENCES task (n), seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, epoch INTEGER NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (task_n, seq)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE mirror (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, peer TEXT NOT NULL, peer_label TEXT NOT NULL,
    session TEXT NOT NULL, agent TEXT NOT NULL, idempotency_key TEXT NOT NULL, spec TEXT NOT NULL, state TEXT NOT NULL,
    granted TEXT, cursor INTEGER NOT NULL, created_at_ms INTEGER NOT NULL, cancel_requested_at_ms INTEGER,
    unreachable INTEGER NOT NULL, accepted INTEGER NOT NULL, outcome TEXT, version INTEGER NOT NULL, ${LIVE},
    UNIQUE (session, idempotency_key)
  ) STRICT`,
  `CREATE INDEX mirror_by_state ON mirror (state, n)`,
  `CREATE INDEX mirror_by_peer ON mirror (peer, n)`,
  `CREATE INDEX mirror_by_peer_state ON mirror (peer, state, n)`,
  `CREATE INDEX mirror_by_session ON mirror (session, n)`,
  `CREATE INDEX mirror_by_session_state ON mirror (session, state, n)`,
  `CREATE INDEX mirror_live ON mirror (n) WHERE live = 1`,
  `CREATE TABLE mirror_event (
    mirror_n INTEGER NOT NULL REFERENCES mirror (n), seq INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    epoch INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (mirror_n, seq)
  ) STRICT, WITHOUT ROWID`,
];

/** Audit, facts, records of authority, records of work. */
export const firstSchema: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [...NODE, ...AUTHORITY, ...WORK]) await sql.raw(statement).execute(db);
  },
};
