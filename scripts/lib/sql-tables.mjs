/** Which package owns which tables: its SQL alone reads and writes them. */
export const TABLES = {
  database: ['audit', 'clock_mark', 'refusal'],
  'lease-store': [
    'approval',
    'approver',
    'execution',
    'invite',
    'lease',
    'node_fact',
    'request_log',
    'sent_command',
    'session',
    'session_end',
    'session_holder',
    'token',
    'window',
  ],
  'task-store': [
    'delivery',
    'envelope',
    'evidence_name',
    'leftover',
    'mirror',
    'mirror_event',
    'question',
    'receipt',
    'removed_task',
    'task',
    'task_event',
    'used_writ',
  ],
};

/** Files that read a table of another package, and why. */
const READERS = {
  // A fact of a node that does not run: there are no stores then, and nothing that would open its database.
  'packages/database/src/peek.ts': ['node_fact'],
};

const OWNERS = new Map(Object.entries(TABLES).flatMap(([owner, tables]) => tables.map((table) => [table, owner])));

/** What stands in front of a table in SQL; keywords are in capitals, so that no sentence looks like them. */
const NAMED = /\b(?:FROM|JOIN|INTO|UPDATE(?: OR [A-Z]+)?)\s+"?([a-z_]+)\b/g;
/** The same in the words of the query builder. */
const BUILT = /\b(?:selectFrom|insertInto|updateTable|deleteFrom|innerJoin|leftJoin)\(\s*['"`]([a-z_]+)/g;

/** Tables that the text of a file names and its package does not own, each as `{ line, table, owner }`. */
export function foreignTablesIn(path, text) {
  const home = /^packages\/([^/]+)\//.exec(path)?.[1];
  return [NAMED, BUILT].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ 1: table, index }) => {
      const owner = OWNERS.get(table);
      if (owner === undefined || owner === home || READERS[path]?.includes(table)) return [];
      return [{ line: text.slice(0, index).split('\n').length, table, owner }];
    }),
  );
}

/** Tables that the text of a migration makes. */
export function tablesMadeIn(text) {
  return [...text.matchAll(/\bCREATE TABLE\s+(?:IF NOT EXISTS\s+)?([a-z_]+)/g)].map(([, table]) => table);
}

/** Complaints where the list above is not exactly the tables that migrations make. */
export function unownedTables(made) {
  const known = [...OWNERS.keys()];
  const twice = Object.values(TABLES)
    .flat()
    .filter((table, at, all) => all.indexOf(table) !== at);
  return [
    ...made
      .filter((table) => !OWNERS.has(table))
      .map((table) => `table ${table} belongs to no package (scripts/lib/sql-tables.mjs)`),
    ...known
      .filter((table) => !made.includes(table))
      .map((table) => `there is no table ${table} (scripts/lib/sql-tables.mjs)`),
    ...twice.map((table) => `table ${table} belongs to two packages (scripts/lib/sql-tables.mjs)`),
  ];
}
