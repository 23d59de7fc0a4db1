import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './open.ts';
import { peekFact } from './peek-fact.ts';
import { createHome, createStandingClock } from './testing/fixture.ts';

let home: ReturnType<typeof createHome>;
let path: string;
beforeEach(() => {
  home = createHome();
  path = join(home.path, 'writ.db');
});
afterEach(() => home.remove());

function storeFact(key: string, value: string): void {
  const handle = new BetterSqlite3(path);
  handle.prepare('INSERT OR REPLACE INTO node_fact (key, value) VALUES (?, ?)').run(key, value);
  handle.close();
}

describe('a fact that is looked at from beside', () => {
  it('is nothing where there is no database, and none is made', () => {
    expect(peekFact(path, 'policy.accepted')).toBeUndefined();
    expect(() => peekFact(path, 'policy.accepted')).not.toThrow();
  });

  it('is what the node has stored, also while it has the database open', async () => {
    const database = await openDatabase({ path, clock: createStandingClock(1), logger: silentLogger });
    await database.close();
    storeFact('policy.accepted', 'x');
    const open = await openDatabase({ path, clock: createStandingClock(1), logger: silentLogger });
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
