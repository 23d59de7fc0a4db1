import { type Kysely, type Migration, sql } from 'kysely';

/** SHA-256 of the bundle that went along with a mirror, as SQL; NULL: none did. */
const SHIPPED_BUNDLE = `CASE WHEN json_valid(spec) THEN spec ->> '$.shipped.bundle.sha256' END`;

/** The time of the upgrade, milliseconds since the epoch. */
const NOW = 'unixepoch() * 1000';

/** SHA-256 of the envelope that a stored outcome names, as SQL; NULL: none, or the outcome cannot be read. */
const RESULT = `CASE WHEN json_valid(outcome) THEN outcome ->> '$.result' END`;

/** Events that may be there for a while after their task: no foreign key leads to it. All rows are copied. */
const events = (of: 'task' | 'mirror', columns: string): readonly string[] => [
  `CREATE TABLE ${of}_event_alone (${columns}, PRIMARY KEY (${of}_n, seq)) STRICT, WITHOUT ROWID`,
  `INSERT INTO ${of}_event_alone SELECT * FROM ${of}_event`,
  `DROP TABLE ${of}_event`,
  `ALTER TABLE ${of}_event_alone RENAME TO ${of}_event`,
];

const STATEMENTS = [
  // From when on what has ended is kept, by the clock of this node, whatever the executor of a mirror says. For what ended
  // before there was such a time it begins now: nobody was told that anything of it would ever go.
  'ALTER TABLE task ADD COLUMN ended_at_ms INTEGER',
  `UPDATE task SET ended_at_ms = max(created_at_ms, ${NOW}) WHERE live = 0`,
  'CREATE INDEX task_ended ON task (ended_at_ms, n) WHERE ended_at_ms IS NOT NULL',
  'ALTER TABLE mirror ADD COLUMN ended_at_ms INTEGER',
  `UPDATE mirror SET ended_at_ms = max(created_at_ms, ${NOW},
    ifnull((SELECT received_at_ms FROM delivery WHERE delivery.mirror = mirror.id), 0)) WHERE live = 0`,
  'CREATE INDEX mirror_ended ON mirror (ended_at_ms, n) WHERE ended_at_ms IS NOT NULL',
  `CREATE INDEX mirror_by_shipped ON mirror (${SHIPPED_BUNDLE}) WHERE ${SHIPPED_BUNDLE} IS NOT NULL`,
  ...events(
    'task',
    `task_n INTEGER NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, epoch INTEGER NOT NULL, body TEXT NOT NULL`,
  ),
  ...events(
    'mirror',
    `mirror_n INTEGER NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, epoch INTEGER NOT NULL, body TEXT NOT NULL`,
  ),
  // Whose result an envelope is.
  `CREATE INDEX task_by_result ON task (${RESULT}) WHERE ${RESULT} IS NOT NULL`,
  `CREATE INDEX mirror_by_result ON mirror (${RESULT}) WHERE ${RESULT} IS NOT NULL`,
  'CREATE INDEX delivery_by_result ON delivery (result)',
  // Which task the result in an envelope is about; NULL: nobody has looked yet, empty: it cannot be read.
  'ALTER TABLE envelope ADD COLUMN task TEXT',
  'CREATE INDEX envelope_unread ON envelope (sha256) WHERE task IS NULL',
  // Commands that ended long ago are found without looking at all others.
  'CREATE INDEX execution_ended ON execution (ended_at_ms) WHERE ended_at_ms IS NOT NULL',
  // What names a session is found without looking at everything else.
  'CREATE INDEX task_by_session ON task (session)',
  'CREATE INDEX lease_by_session ON lease (session) WHERE session IS NOT NULL',
  // Content and further envelopes that envelopes name: what several name stays until the last of them goes.
  `CREATE TABLE evidence_name (
    sha256 TEXT NOT NULL, named_by TEXT NOT NULL, PRIMARY KEY (sha256, named_by)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX evidence_name_by_envelope ON evidence_name (named_by)',
  // What is left of a task that was removed: its id and its key are never used again. `owner`: the sender of a task, the
  // session of a mirror.
  `CREATE TABLE removed_task (
    id TEXT NOT NULL, part TEXT NOT NULL CHECK (part IN ('task', 'mirror')), owner TEXT NOT NULL,
    key_sha256 TEXT NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (id, part)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX removed_task_by_key ON removed_task (key_sha256)',
  // What is still there of tasks that were removed, and goes next: rows by the hundred, files, evidence.
  'CREATE TABLE leftover (kind TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (kind, name)) STRICT, WITHOUT ROWID',
];

/** From when on tasks that are over are kept, what their results name, and what is left of those that were removed. */
export const removal: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
