import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import { createFakeClock } from '@writ/testkit/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refuseEmptied } from './emptied-database.ts';

let root: string;
let home: { readonly databaseFile: string; readonly auditDir: string };
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'wn-'));
  home = { databaseFile: join(root, 'writ.db'), auditDir: join(root, 'audit') };
});
afterEach(() => rmSync(root, { recursive: true }));

/** What a program leaves that opened the database, and wrote no more than `use` does. */
async function openThere(use: (database: Database) => unknown = () => undefined): Promise<void> {
  const database = await openDatabase({
    ...{ path: home.databaseFile, clock: createFakeClock(1), logger: silentLogger },
  });
  use(database);
  database.close();
}

const lives = (): void => {
  mkdirSync(home.auditDir);
  writeFileSync(join(home.auditDir, 'checkpoint'), 'signed');
};

describe('a database that is gone or empty', () => {
  it('is one of a home that never had any', () => {
    refuseEmptied(home);
    mkdirSync(home.auditDir);
    refuseEmptied(home);
    writeFileSync(home.databaseFile, '', { mode: 0o600 });
    refuseEmptied(home);
  });

  it('is refused where the home has an audit log, with what brings it back and how to begin anew', async () => {
    lives();
    const refused = (message: string) =>
      expect(() => refuseEmptied(home)).toThrow(
        expect.objectContaining({
          code: 'DATABASE_ERROR',
          message: expect.stringContaining(message),
          nextSteps: [expect.stringContaining('backup'), expect.stringContaining(`mv ${home.auditDir} `)],
        }),
      );
    refused('is not there, although');
    writeFileSync(home.databaseFile, '', { mode: 0o600 });
    refused('is empty, although');
    await openThere();
    refused('is empty, although');
    await openThere((database) =>
      database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' })),
    );
    refuseEmptied(home);
  });
});
