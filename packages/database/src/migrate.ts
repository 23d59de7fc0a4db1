import type BetterSqlite3 from 'better-sqlite3';
import { Kysely, type Migration, Migrator, SqliteDialect } from 'kysely';
import { foreignDatabase, schemaTooNew } from './errors.ts';

/** Brings the schema up to the last of `migrations`, in a transaction; forward only. */
export async function migrate(
  handle: BetterSqlite3.Database,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  // Not destroyed afterwards: that would close the handle, which is not Kysely's.
  const migrator = new Migrator({
    db: new Kysely<unknown>({ dialect: new SqliteDialect({ database: handle }) }),
    provider: { getMigrations: async () => ({ ...migrations }) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** Throws SCHEMA_TOO_NEW where the file has a migration that `migrations` lacks, DATABASE_ERROR where it is another program's; only reads. */
export function refuseNewer(
  handle: BetterSqlite3.Database,
  path: string,
  migrations: Readonly<Record<string, Migration>>,
): void {
  const tables = handle.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all();
  if (!tables.includes('kysely_migration')) {
    if (tables.length > 0) throw foreignDatabase(path);
    return;
  }
  const names = handle.prepare('SELECT name FROM kysely_migration ORDER BY name').pluck().all();
  for (const name of names) {
    if (typeof name !== 'string' || !Object.hasOwn(migrations, name)) throw schemaTooNew(path, String(name));
  }
}
