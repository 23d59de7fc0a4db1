import { copyFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './open.ts';
import { isEmptyDatabase, peekFact } from './peek.ts';
import { createHome, createStandingClock } from './testing/fixture.ts';

let home: ReturnType<typeof createHome>;
let path: string;
beforeEach(() => {
  home = createHome();
  path = join(home.path, 'writ.db');
});
afterEach(() => home.remove());

const openNode = () => openDatabase({ path, clock: createStandingClock(1), logger: silentLogger });

function writeSql(sql: string): void {
  const handle = new BetterSqlite3(path);
  handle.exec(sql);
  handle.close();
}

function storeFact(key: string, value: string): void {
  const handle = new BetterSqlite3(path);
  handle.prepare('INSERT OR REPLACE INTO node_fact (key, value) VALUES (?, ?)').run(key, value);
  handle.close();
}

describe('a database', () => {
  it('holds nothing where it is not there, has no bytes, or a header alone', () => {
    expect(isEmptyDatabase(path)).toBe(true);
    writeFileSync(path, '');
    expect(isEmptyDatabase(path)).toBe(true);
    writeSql('CREATE TABLE t (x); DROP TABLE t');
    expect([statSync(path).size > 0, isEmptyDatabase(path)]).toEqual([true, true]);
  });

  it('holds nothing while no node has written an audit row into it, and something from then on', async () => {
    (await openNode()).close();
    expect(isEmptyDatabase(path)).toBe(true);
    const database = await openNode();
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

describe('a fact that is looked at from beside', () => {
  it('is nothing where there is no database, and none is made', () => {
    expect(peekFact(path, 'policy.accepted')).toBeUndefined();
    expect(() => peekFact(path, 'policy.accepted')).not.toThrow();
  });

  it('is what the node has stored, also while it has the database open', async () => {
    const database = await openNode();
    await database.close();
    storeFact('policy.accepted', 'x');
    const open = await openNode();
    expect(peekFact(path, 'policy.accepted')).toBe('x');
    expect(peekFact(path, 'other')).toBeUndefined();
    await open.close();
    expect(peekFact(path, 'policy.accepted')).toBe('x');
  });

  it('is a fault of the database where the file is none', () => {
    writeFileSync(path, 'not a database, whatever it is called');
    expect(() => peekFact(path, 'x')).toThrow(expect.objectContaining({ code: 'DATABASE_ERROR' }));
  });
});
