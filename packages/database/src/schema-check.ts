import BetterSqlite3 from 'better-sqlite3';
import type { Migration } from 'kysely';
import { damagedDatabase, foreignDatabase, schemaTooNew } from './errors.ts';
import { migrate } from './migrate.ts';

/**
 * Compares a file with what its own list of migrations makes; only reads. Throws SCHEMA_TOO_NEW where the list has one that
 * `migrations` lacks, DATABASE_ERROR where the file is another program's, the list has a hole, or a table or column is gone.
 */
export async function checkSchema(
  handle: BetterSqlite3.Database,
  path: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  const tables = handle.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all();
  if (!tables.includes('kysely_migration')) {
    if (tables.length > 0) throw foreignDatabase(path);
    return;
  }
  const done: Record<string, Migration> = {};
  const names = handle.prepare('SELECT name FROM kysely_migration ORDER BY name').pluck().all().map(String);
  for (const name of names) {
    const migration = Object.hasOwn(migrations, name) ? migrations[name] : undefined;
    if (migration === undefined) throw schemaTooNew(path, name);
    done[name] = migration;
  }
  const hole = Object.keys(migrations)
    .sort()
    .find((name, place) => place < names.length && names[place] !== name);
  if (hole !== undefined) throw damagedDatabase(path, `its list of migrations lacks ${hole}`);
  const there = new Set(columns(handle));
  const missing = (await columnsAfter(done)).find((column) => !there.has(column));
  if (missing !== undefined) throw damagedDatabase(path, `${missing} is missing`);
}

async function columnsAfter(migrations: Readonly<Record<string, Migration>>): Promise<readonly string[]> {
  const fresh = new BetterSqlite3(':memory:');
  try {
    await migrate(fresh, migrations);
    return columns(fresh);
  } finally {
    fresh.close();
  }
}

/** Every column of every table, named for a person. */
function columns(handle: BetterSqlite3.Database): readonly string[] {
  return handle
    .prepare(
      `SELECT 'column ' || c.name || ' of table ' || t.name FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'`,
    )
    .pluck()
    .all()
    .map(String);
}
