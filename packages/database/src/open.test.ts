import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isWritError, sha256Hex, silentLogger } from '@writ/core';
import BetterSqlite3 from 'better-sqlite3';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from './migrations/index.ts';
import { checkDatabase, openDatabase, openDatabaseWith } from './open.ts';
import { createHome, createStandingClock } from './testing/fixture.ts';

const MODULES = join(import.meta.dirname, '..', '..', '..', 'node_modules');

/** Opens the database as a node would, says so, and lives until it is killed. */
const HOLDER = `
  import { createSystemClock, silentLogger } from '@writ/core';
  import { openDatabase } from '@writ/database';
  const path = process.argv[2] ?? '';
  openDatabase({ path, clock: createSystemClock(), logger: silentLogger }).then((database) => {
    database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'held', actor: 'node' }));
    process.stdout.write('open');
    setInterval(() => database.nowMs(), 1000);
  });
`;

describe('openDatabase', () => {
  let home: ReturnType<typeof createHome>;
  let path: string;
  const children: ChildProcess[] = [];
  const options = () => ({ path, clock: createStandingClock(1000), logger: silentLogger });
  const codeOf = async (promise: Promise<unknown>): Promise<unknown> => {
    const error = await promise.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return isWritError(error) ? error.code : error;
  };
  beforeEach(() => {
    home = createHome();
    path = join(home.path, 'writ.db');
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    home.remove();
  });

  it('migrates a new file to WAL with foreign keys, and opens it again unchanged', async () => {
    const first = await openDatabase(options());
    const pragma = (name: string) => first.withWriteTx((tx) => tx.prepare(`PRAGMA ${name}`).pluck().get());
    expect(['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map(pragma)).toEqual(['wal', 2, 1, 2000]);
    first.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' }));
    first.close();
    first.close();
    const second = await openDatabase(options());
    expect(second.auditTail(1)[0]?.action).toBe('node.started');
    second.close();
  });

  it('refuses a schema from the future and leaves the file as it was', async () => {
    const future = { ...MIGRATIONS, '9999-later': { up: async () => {} } };
    (await openDatabaseWith(options(), future)).close();
    const before = [sha256Hex(readFileSync(path)), statSync(path).mtimeMs];
    expect(await codeOf(openDatabase(options()))).toBe('SCHEMA_TOO_NEW');
    expect([sha256Hex(readFileSync(path)), statSync(path).mtimeMs]).toEqual(before);
    (await openDatabaseWith(options(), future)).close();
  });

  it('leaves a newer file as it was after a crash of its program, with what had not reached it yet', async () => {
    const future = { ...MIGRATIONS, '9999-later': { up: async () => {} } };
    const newer = await openDatabaseWith(options(), future);
    newer.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' }));
    const crashed = join(home.path, 'crashed.db');
    const files = [crashed, `${crashed}-wal`];
    copyFileSync(path, crashed);
    copyFileSync(`${path}-wal`, `${crashed}-wal`);
    newer.close();
    const before = files.map((file) => sha256Hex(readFileSync(file)));
    expect(await codeOf(openDatabase({ ...options(), path: crashed }))).toBe('SCHEMA_TOO_NEW');
    expect(files.map((file) => sha256Hex(readFileSync(file)))).toEqual(before);
    const again = await openDatabaseWith({ ...options(), path: crashed }, future);
    expect(again.auditTail(1)[0]?.action).toBe('node.started');
    again.close();
  });

  it('keeps nothing of a migration that fails half-way', async () => {
    const broken = {
      ...MIGRATIONS,
      '0002-broken': {
        up: async () => {
          throw new Error('half-way');
        },
      },
    };
    await expect(openDatabaseWith(options(), broken)).rejects.toThrow('half-way');
    (await openDatabase(options())).close();
  });

  it('refuses what is no database, and lets go of the lock', async () => {
    writeFileSync(path, 'this is no database, and longer than a header of one hundred bytes '.repeat(3), {
      mode: 0o600,
    });
    const refused = { code: 'DATABASE_ERROR', message: expect.stringContaining('is no database, or is damaged') };
    await expect(openDatabase(options())).rejects.toMatchObject(refused);
    await expect(openDatabase(options())).rejects.toMatchObject({
      nextSteps: [expect.stringContaining('backup'), expect.stringContaining(`mv ${dirname(path)} `)],
    });
  });

  it('refuses the database of another program, and changes nothing of it', async () => {
    const other = new BetterSqlite3(path);
    other.exec('CREATE TABLE theirs (x)');
    other.close();
    chmodSync(path, 0o600);
    const before = readFileSync(path);
    await expect(openDatabase(options())).rejects.toMatchObject({
      code: 'DATABASE_ERROR',
      message: expect.stringContaining('another program'),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it.each([
    ['a table is gone', 'DROP TABLE lease', 'column id of table lease is missing'],
    ['a column is gone', 'ALTER TABLE node_fact RENAME COLUMN value TO other', 'column value of table node_fact'],
    ['its list has a hole', `DELETE FROM kysely_migration WHERE name LIKE '0003%'`, 'lacks 0003-results'],
    ['its list is shorter than its schema', `DELETE FROM kysely_migration WHERE name > '0010'`, 'duplicate column'],
  ])('refuses a file of which %s, and says what to do', async (_, sql, why) => {
    (await openDatabase(options())).close();
    const other = new BetterSqlite3(path);
    other.exec(sql);
    other.close();
    await expect(openDatabase(options())).rejects.toMatchObject({
      ...{ code: 'DATABASE_ERROR', message: expect.stringMatching(`is damaged: .*${why}`) },
      nextSteps: [expect.stringContaining('backup'), expect.stringContaining(`mv ${dirname(path)} `)],
    });
  });

  it('is looked at without a lock and without a change, also while a node has it open', async () => {
    await checkDatabase(path);
    const open = await openDatabase(options());
    await checkDatabase(path);
    open.close();
    rmSync(path);
    mkdirSync(path, { mode: 0o700 });
    const refused = { code: 'DATABASE_ERROR', message: expect.stringContaining('it is no file') };
    await expect(checkDatabase(path)).rejects.toMatchObject(refused);
  });

  it('refuses a second writer in the same process, until the first has closed', async () => {
    const first = await openDatabase(options());
    expect(await codeOf(openDatabase(options()))).toBe('ALREADY_RUNNING');
    // The refused attempt has not loosened the lock.
    expect(await codeOf(openDatabase(options()))).toBe('ALREADY_RUNNING');
    first.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' }));
    first.close();
    (await openDatabase(options())).close();
  });

  it('refuses a second writer in another process, and needs no cleaning after the first was killed', async () => {
    const holder = join(home.path, 'holder.cjs');
    await build({
      stdin: { contents: HOLDER, resolveDir: import.meta.dirname, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['better-sqlite3'],
      outfile: holder,
      logLevel: 'silent',
    });
    const child = spawn(process.execPath, [holder, path], {
      env: { NODE_PATH: MODULES },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    await once(child.stdout, 'data');
    expect(await codeOf(openDatabase(options()))).toBe('ALREADY_RUNNING');
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    expect(readdirSync(home.path)).toContain('writ.db-wal');
    const next = await openDatabase(options());
    expect(next.auditTail(1)[0]?.action).toBe('held');
    next.close();
  });

  it('lets another process read while it writes', async () => {
    const database = await openDatabase(options());
    database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' }));
    const reader = new BetterSqlite3(path, { readonly: true });
    reader.exec('BEGIN');
    const count = () => reader.prepare('SELECT COUNT(*) FROM audit').pluck().get();
    expect(count()).toBe(1);
    database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.stopping', actor: 'node' }));
    expect(count()).toBe(1);
    reader.close();
    const script = `const d = new (require('better-sqlite3'))(process.argv[1], { readonly: true });
      process.stdout.write(String(d.prepare('SELECT COUNT(*) FROM audit').pluck().get()))`;
    const other = spawnSync(process.execPath, ['-e', script, path], { env: { NODE_PATH: MODULES }, encoding: 'utf8' });
    expect(other.stdout).toBe('2');
    database.close();
  });
});
