import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import { type Database, openDatabase, peekAudit } from '@writ/database';
import { createIdentity, type NodeIdentity } from '@writ/identity';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import BetterSqlite3 from 'better-sqlite3';
import { createLogFollower } from '../../log/follower.ts';
import { auditFiles } from '../../log/layout.ts';
import type { Victim } from './types.ts';

/** A log as a node wrote it, copied for each that tampers with it. */
export interface Original {
  readonly identity: NodeIdentity;
  /** A checkpoint that is kept elsewhere: the newest. */
  readonly kept: string;
  /** A fresh copy. */
  copy(pick: Victim['pick']): Victim;
  remove(): void;
}

/** Entries between two checkpoints, and in a file: a log with several of each. */
const STEPS = [3, 11, 1, 17, 8] as const;
const ENTRIES_PER_FILE = 9;

export async function createOriginal(): Promise<Original> {
  const root = mkdtempSync(join(tmpdir(), 'writ-tamper-'));
  const clock = createFakeClock(createSystemClock().nowMs());
  const random = createSystemRandom();
  const own = await createIdentity({ dir: join(root, 'own'), clock, random });
  const another = await createIdentity({ dir: join(root, 'another'), clock, random });
  const original = join(root, 'original');
  const sizes = await writeOriginal({ dir: original, identity: own, clock });
  let copies = 0;
  return {
    identity: own,
    kept: readFileSync(auditFiles(join(original, 'audit')).checkpoint, 'utf8'),
    copy(pick) {
      const dir = join(root, `copy-${copies++}`);
      cpSync(original, dir, { recursive: true });
      const files = auditFiles(join(dir, 'audit'), ENTRIES_PER_FILE);
      const databaseFile = join(dir, 'writ.db');
      const impostor = { ...another, public: own.public };
      return {
        ...{ dir, files, databaseFile, sizes, pick, size: sizes.at(-1) ?? 0 },
        rows: (change) => changeRows(databaseFile, change),
        async rewrite(key) {
          rmSync(files.dir, { recursive: true });
          const rows = peekAudit(databaseFile);
          const identity = key === 'own' ? own : impostor;
          const source = { ...rows, onAudit: () => () => undefined };
          const follower = createLogFollower({ files, rows: source, identity, clock, random, logger: silentLogger });
          await follower.settle();
          await follower.close();
          rows.close();
        },
      };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

async function writeOriginal(options: {
  readonly dir: string;
  readonly identity: NodeIdentity;
  readonly clock: FakeClock;
}): Promise<readonly number[]> {
  const { dir, identity, clock } = options;
  const database = await openDatabase({ path: join(dir, 'writ.db'), clock, logger: silentLogger });
  const files = auditFiles(join(dir, 'audit'), ENTRIES_PER_FILE);
  const parts = { files, rows: database, identity, clock, random: createSystemRandom(), logger: silentLogger };
  const follower = createLogFollower(parts);
  const sizes: number[] = [];
  for (const [at, count] of STEPS.entries()) {
    if (at === 2) await identity.rotate();
    clock.advance(1000);
    write(database, count);
    await follower.settle();
    sizes.push(database.auditEnd());
  }
  await follower.close();
  database.close();
  return sizes;
}

function write(database: Database, count: number): void {
  database.withWriteTx((tx) => {
    for (let at = 0; at < count; at++) {
      const details = { number: tx.nowMs + at, code: null };
      tx.audit({ kind: 'task', action: 'task.completed', actor: 'node', subject: `task-${tx.nowMs}-${at}`, details });
    }
  });
}

function changeRows(path: string, change: (handle: BetterSqlite3.Database) => void): void {
  const handle = new BetterSqlite3(path);
  for (const trigger of ['audit_no_update', 'audit_no_delete', 'audit_no_replace']) {
    handle.exec(`DROP TRIGGER ${trigger}`);
  }
  change(handle);
  handle.close();
}
