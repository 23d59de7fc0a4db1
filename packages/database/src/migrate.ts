import type BetterSqlite3 from 'better-sqlite3';
import { Kysely, type Migration, Migrator, SqliteDialect } from 'kysely';

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
