import { copyFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './open.ts';
import { isEmptyDatabase } from './peek-empty.ts';
import { createHome, createStandingClock } from './testing/fixture.ts';

describe('a database', () => {
  let home: ReturnType<typeof createHome>;
  let path: string;
  beforeEach(() => {
    home = createHome();
    path = join(home.path, 'writ.db');
  });
  afterEach(() => home.remove());

  const open = () => openDatabase({ path, clock: createStandingClock(1), logger: silentLogger });
  const writeSql = (sql: string): void => {
    const handle = new BetterSqlite3(path);
    handle.exec(sql);
    handle.close();
  };

  it('holds nothing where it is not there, has no bytes, or a header alone', () => {
    expect(isEmptyDatabase(path)).toBe(true);
    writeFileSync(path, '');
    expect(isEmptyDatabase(path)).toBe(true);
    writeSql('CREATE TABLE t (x); DROP TABLE t');
    expect([statSync(path).size > 0, isEmptyDatabase(path)]).toEqual([true, true]);
  });

  it('holds nothing while no node has written an audit row into it, and something from then on', async () => {
    (await open()).close();
    expect(isEmptyDatabase(path)).toBe(true);
    const database = await open();
    database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' }));
    // Read beside the node that has it open, with what is in the file beside it alone.
    expect(isEmptyDatabase(path)).toBe(false);
    const left = join(home.path, 'left.db');
    for (const side of ['', '-wal']) copyFileSync(`${path}${side}`, `${left}${side}`);
    database.close();
    expect([isEmptyDatabase(path), isEmptyDatabase(left)]).toEqual([false, false]);
    for (const file of readdirSync(home.path)) expect(statSync(join(home.path, file)).mode & 0o077).toBe(0);
    writeSql('DROP TABLE audit; CREATE TABLE audit (seq)');
    expect(isEmptyDatabase(path)).toBe(true);
  });

  it('of another program holds something, and what is none is said to be none', async () => {
    writeSql('CREATE TABLE theirs (x)');
    expect(isEmptyDatabase(path)).toBe(false);
    writeFileSync(path, 'x'.repeat(200));
    expect(() => isEmptyDatabase(path)).toThrow(
      expect.objectContaining({ code: 'DATABASE_ERROR', message: expect.stringContaining('is no database') }),
    );
    truncateSync(path, 0);
    expect(isEmptyDatabase(path)).toBe(true);
  });
});
