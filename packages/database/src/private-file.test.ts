import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWritError, silentLogger } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from './migrations/index.ts';
import { openDatabase, openDatabaseWith } from './open.ts';
import { ensurePrivateFile, tightenSideFiles } from './private-file.ts';
import { createHome, createStandingClock } from './testing/fixture.ts';

const mode = (path: string): number => statSync(path).mode & 0o777;

describe('files of the database', () => {
  let home: ReturnType<typeof createHome>;
  let umask: number;
  const clock = createStandingClock(1000);
  beforeEach(() => {
    home = createHome();
    // The worst umask: whatever SQLite made by itself would be open to everybody.
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
    home.remove();
  });

  it('are private before SQLite opens them, and while it writes', async () => {
    const path = join(home.path, 'node', 'writ.db');
    const seen: number[] = [];
    const look = { up: async () => void seen.push(mode(path), mode(`${path}.lock`)) };
    const migrations = { '0000-look': look, ...MIGRATIONS };
    const database = await openDatabaseWith({ path, clock, logger: silentLogger }, migrations);
    expect(seen).toEqual([0o600, 0o600]);
    expect(mode(join(home.path, 'node'))).toBe(0o700);
    const files = readdirSync(join(home.path, 'node')).sort();
    expect(files).toEqual(['writ.db', 'writ.db-shm', 'writ.db-wal', 'writ.db.lock']);
    for (const file of files) expect(mode(join(home.path, 'node', file))).toBe(0o600);
    database.close();
  });

  it('exist with mode 0600 after ensurePrivateFile alone, empty', () => {
    const path = join(home.path, 'writ.db');
    ensurePrivateFile(path);
    expect(mode(path)).toBe(0o600);
    expect(statSync(path).size).toBe(0);
  });

  it('are 0600 under a umask that takes the owner bits away', () => {
    process.umask(0o777);
    const path = join(home.path, 'writ.db');
    ensurePrivateFile(path);
    expect(mode(path)).toBe(0o600);
  });

  it('are refused, unopened, where the file is readable by others', async () => {
    const path = join(home.path, 'writ.db');
    writeFileSync(path, '');
    chmodSync(path, 0o640);
    const error = await openDatabase({ path, clock, logger: silentLogger }).catch((thrown: unknown) => thrown);
    expect(isWritError(error, 'HOME_INSECURE') && error.nextSteps[0]).toBe(`chmod 600 ${path}`);
    expect(mode(path)).toBe(0o640);
    expect(statSync(path).size).toBe(0);
    chmodSync(path, 0o600);
    (await openDatabase({ path, clock, logger: silentLogger })).close();
  });

  it('are refused where the directory is open to others', async () => {
    const directory = join(home.path, 'open');
    mkdirSync(directory, { mode: 0o755 });
    const error = await openDatabase({ path: join(directory, 'writ.db'), clock, logger: silentLogger }).catch(
      (thrown: unknown) => thrown,
    );
    expect(isWritError(error, 'HOME_INSECURE') && error.nextSteps[0]).toBe(`chmod 700 ${directory}`);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('are refused where a link leads elsewhere', () => {
    const target = join(home.path, 'target');
    writeFileSync(target, '', { mode: 0o600 });
    symlinkSync(target, join(home.path, 'writ.db'));
    expect(() => ensurePrivateFile(join(home.path, 'writ.db'))).toThrow(/is no plain file/);
  });

  it('may lack their side files', () => {
    expect(() => tightenSideFiles(join(home.path, 'none.db'))).not.toThrow();
  });
});
