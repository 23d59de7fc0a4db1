import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, type Random, silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import { createIdentity, type NodeIdentity } from '@writ/identity';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { createLogFollower, type FollowerOptions, type LogFollower } from '../log/follower.ts';
import { type AuditFiles, auditFiles } from '../log/layout.ts';

/** A node's database and keys, and the log beside them, in a folder of its own. */
export interface LogBench {
  readonly dir: string;
  readonly databaseFile: string;
  readonly database: Database;
  readonly identity: NodeIdentity;
  readonly clock: FakeClock;
  readonly random: Random;
  readonly files: AuditFiles;
  /** Writes `count` rows. */
  write(count: number): void;
  follow(more?: Partial<FollowerOptions>): LogFollower;
  /** Follows until everything is signed, and stops. */
  settle(): Promise<void>;
  /** Every file of the log by its name. */
  contents(): Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Files of this bench hold few entries, so that a test sees more than one. */
const ENTRIES_PER_FILE = 7;

export async function createLogBench(entriesPerFile: number = ENTRIES_PER_FILE): Promise<LogBench> {
  const dir = mkdtempSync(join(tmpdir(), 'writ-audit-'));
  const clock = createFakeClock(createSystemClock().nowMs());
  const random = createSystemRandom();
  const databaseFile = join(dir, 'db', 'writ.db');
  const database = await openDatabase({ path: databaseFile, clock, logger: silentLogger });
  const identity = await createIdentity({ dir: join(dir, 'keys'), clock, random });
  const files = auditFiles(join(dir, 'audit'), entriesPerFile);
  const follow: LogBench['follow'] = (more = {}) =>
    createLogFollower({ files, rows: database, identity, clock, random, logger: silentLogger, ...more });
  return {
    ...{ dir, databaseFile, database, identity, clock, random, files, follow },
    write(count) {
      const from = database.auditEnd();
      database.withWriteTx((tx) => {
        for (let number = from + 1; number <= from + count; number++) {
          const details = { number, text: 'grün\u2028\u001b[2J', nested: { list: [1, null, 'x'] } };
          tx.audit({ kind: 'task', action: 'task.completed', actor: 'node', subject: `task-${number}`, details });
        }
      });
    },
    async settle() {
      const follower = follow();
      await follower.settle();
      await follower.close();
    },
    contents: () =>
      Object.fromEntries(
        readdirSync(files.dir)
          .toSorted()
          .map((name) => [name, readFileSync(join(files.dir, name), name === 'hashes' ? 'latin1' : 'utf8')]),
      ),
    async remove() {
      database.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
