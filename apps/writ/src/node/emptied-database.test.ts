import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refuseEmptied } from './emptied-database.ts';

let root: string;
let home: { readonly databaseFile: string; readonly auditDir: string };
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'wn-'));
  home = { databaseFile: join(root, 'writ.db'), auditDir: join(root, 'audit') };
});
afterEach(() => rmSync(root, { recursive: true }));

const lives = (): void => {
  mkdirSync(home.auditDir);
  writeFileSync(join(home.auditDir, 'checkpoint'), 'signed');
};

describe('a database that is gone or empty', () => {
  it('is one of a home that never had any', () => {
    refuseEmptied(home);
    mkdirSync(home.auditDir);
    refuseEmptied(home);
    writeFileSync(home.databaseFile, '');
    refuseEmptied(home);
  });

  it('is refused where the home has an audit log, with what brings it back and how to begin anew', () => {
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
    writeFileSync(home.databaseFile, '');
    refused('is empty, although');
    writeFileSync(home.databaseFile, 'SQLite format 3');
    refuseEmptied(home);
  });
});
