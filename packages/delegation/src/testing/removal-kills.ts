import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createSystemClock, createSystemRandom, nextTurn, sha256Hex, silentLogger } from '@writ/core';
import { type Database, openDatabase, type ReadTx } from '@writ/database';
import { createContentStore } from '@writ/evidence';
import { createLeftoverStore, createRemovalStore, createResultStore } from '@writ/task-store';
import { withSteps } from '@writ/testkit/steps';
import { createFileTranscripts } from '../origin/file-transcripts.ts';
import { createRemoval } from '../removal/removal.ts';

const DAY_MS = 86_400_000;
const KEEP_MS = 90 * DAY_MS;
/** Tasks that ended long ago, and one that ended just now and shares its evidence with the first. */
const OLD = ['t1', 't2', 't3'];
const YOUNG = 'young';
/** Fewer kills than this say nothing: the sweep has no steps, or they are not counted. */
const FEWEST = 3;

/** Files have the time of the system: the clock of the tests is a hundred days ahead of it. */
function laterClock(): Clock {
  const clock = createSystemClock();
  return {
    ...clock,
    nowMs: () => clock.nowMs() + 100 * DAY_MS,
    setTimer(_, fn) {
      // One of the system lets the process end before it rings.
      void nextTurn().then(fn);
      return () => {};
    },
  };
}

const partsOf = (dir: string) => ({
  content: createContentStore({ dir: join(dir, 'content'), random: createSystemRandom() }),
  runs: createFileTranscripts(join(dir, 'transcripts')),
  copies: createFileTranscripts(join(dir, 'mirrors')),
});

const open = (dir: string): Promise<Database> =>
  openDatabase({ path: join(dir, 'writ.db'), clock: laterClock(), logger: silentLogger });

async function seed(dir: string): Promise<void> {
  const database = await open(dir);
  const { content, runs, copies } = partsOf(dir);
  const nowMs = laterClock().nowMs();
  const shared = await content.putBytes(Buffer.from('shared'));
  for (const id of [...OLD, YOUNG]) {
    const own = await content.putBytes(Buffer.from(`of ${id}`));
    await runs.write(id, 0, Buffer.from(id));
    await copies.write(id, 0, Buffer.from(id));
    database.withWriteTx((tx) => {
      const result = sha256Hex(`envelope of ${id}`);
      const endedAtMs = id === YOUNG ? nowMs : 1;
      const outcome = JSON.stringify({ result });
      const task =
        tx.prepare(`INSERT INTO task (id, sender, origin, session, agent, chain, idempotency_key, request_digest, spec,
        bounds, granted, state, epoch, last_seq, created_at_ms, outcome, ended_at_ms, version) VALUES
        (?, 'self', 'o', 's', 'a', '[]', ?, '', '{}', '{}', '{}', 'completed', 1, 3, 1, ?, ?, 1)`);
      const { lastInsertRowid } = task.run(id, id, outcome, endedAtMs);
      const mirror =
        tx.prepare(`INSERT INTO mirror (id, peer, peer_label, session, agent, idempotency_key, spec, state, cursor,
        created_at_ms, unreachable, accepted, outcome, ended_at_ms, version) VALUES
        (?, 'self', 'self', 's', 'a', ?, '{}', 'completed', 3, 1, 0, 1, ?, ?, 1)`);
      const { lastInsertRowid: n } = mirror.run(id, id, outcome, endedAtMs);
      for (const seq of [1, 2, 3]) {
        tx.prepare(`INSERT INTO task_event VALUES (?, ?, 1, 1, '{}')`).run(lastInsertRowid, seq);
        tx.prepare(`INSERT INTO mirror_event VALUES (?, ?, 1, 1, '{}')`).run(n, seq);
      }
      tx.prepare(`INSERT INTO receipt VALUES (?, ?, x'00', 1)`).run(id, result);
      tx.prepare(`INSERT INTO delivery (mirror, peer, result, standing, received_at_ms, acknowledged_at_ms)
        VALUES (?, 'self', ?, '"pinned"', ?, 2)`).run(id, result, endedAtMs);
      tx.prepare(`INSERT INTO envelope (sha256, bytes, task) VALUES (?, x'00', ?)`).run(result, id);
      const name = tx.prepare('INSERT INTO evidence_name VALUES (?, ?)');
      for (const { sha256 } of [own, shared]) name.run(sha256, result);
    });
  }
  database.close();
}

/** A sweep that is killed with SIGKILL in step `killAt`; 0: in none. */
export async function sweepUntilKilled(dir: string, killAt: number): Promise<void> {
  let step = 0;
  const count = (): void => {
    step += 1;
    if (step === killAt) process.kill(process.pid, 'SIGKILL');
  };
  const around = async (fn: () => Promise<void>): Promise<void> => {
    count();
    await fn();
    count();
  };
  const database = withSteps(await open(dir), count);
  const { content, runs, copies } = partsOf(dir);
  const removal = createRemoval({
    ...{ database, clock: laterClock(), logger: silentLogger, self: 'me' },
    ...{ removals: createRemovalStore(), leftovers: createLeftoverStore() },
    evidence: {
      results: createResultStore(),
      content: {
        removeUnused(...args) {
          count();
          const removed = content.removeUnused(...args);
          count();
          return removed;
        },
      },
    },
    runner: { removeTranscript: (task) => around(() => runs.remove(task)) },
    transcripts: { remove: (task) => around(() => copies.remove(task)) },
    authority: {
      isAsked: () => false,
      dropToken: () => {},
      sessions: { get: () => undefined, hold: () => {} },
    },
    rules: () => ({ keepMs: KEEP_MS, peers: [] }),
    held: async () => new Set(),
  });
  await removal.sweep();
  database.close();
}

/** What may never be seen, whenever a sweep is killed: a task that is there without a part of it. Each text counts them. */
const HALF_GONE: Readonly<Record<string, string>> = {
  'a task without its events':
    'SELECT COUNT(*) FROM task WHERE (SELECT COUNT(*) FROM task_event WHERE task_n = n) <> 3',
  'a mirror without its events':
    'SELECT COUNT(*) FROM mirror WHERE (SELECT COUNT(*) FROM mirror_event WHERE mirror_n = n) <> 3',
  'a task without its receipt': 'SELECT COUNT(*) FROM task WHERE id NOT IN (SELECT task FROM receipt)',
  'a mirror without its delivery': 'SELECT COUNT(*) FROM mirror WHERE id NOT IN (SELECT mirror FROM delivery)',
  'a task without its result': `SELECT COUNT(*) FROM task WHERE outcome ->> '$.result' NOT IN (SELECT sha256 FROM envelope)`,
  'a task that went before its mirror': 'SELECT COUNT(*) FROM mirror WHERE id NOT IN (SELECT id FROM task)',
  'one that is gone and not remembered': `SELECT 4 - COUNT(*) - (SELECT COUNT(*) FROM removed_task WHERE part = 'task') FROM task`,
  'a removal without its audit row': `SELECT (SELECT COUNT(*) FROM removed_task) <>
    (SELECT COUNT(*) FROM audit WHERE action IN ('task.removed', 'mirror.removed'))`,
};

/**
 * Seeds a node's files, kills a sweep in step `first`, then another in each `stride`th step after, each time from the
 * beginning, and lets one more go on to its end. Throws for the first thing that is half gone, and for what stays for ever.
 */
export async function proveRemovalKills(program: string, first: number, stride: number): Promise<string> {
  for (let killAt = first, kills = 0; ; killAt += stride, kills += 1) {
    const dir = mkdtempSync(join(tmpdir(), 'writ-removal-'));
    try {
      await seed(dir);
      const args = [program, 'child', dir, String(killAt)];
      const { signal, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      if (signal !== 'SIGKILL' && status !== 0) throw new Error(`the sweep failed: ${stderr}`);
      await lookAt(dir, `killed in step ${killAt}`);
      await sweepUntilKilled(dir, 0);
      await lookAt(dir, `gone on after step ${killAt}`);
      await lookForLeft(dir, `gone on after step ${killAt}`);
      if (signal !== 'SIGKILL' && kills < FEWEST) throw new Error(`no more than ${kills} sweeps were killed`);
      if (signal !== 'SIGKILL') return `${kills} kills: no task without what belongs to it, nothing left`;
    } finally {
      rmSync(dir, { recursive: true });
    }
  }
}

async function lookAt(dir: string, where: string): Promise<void> {
  const database = await open(dir);
  try {
    database.withReadTx((tx) => {
      for (const [what, sql] of Object.entries(HALF_GONE)) {
        const found = Number(tx.prepare(sql).pluck().get());
        if (found !== 0) throw new Error(`${where}: ${what} (${found})`);
      }
      for (const id of tx.prepare('SELECT id FROM task').pluck().all().map(String)) requireFiles(dir, tx, id, where);
    });
  } finally {
    database.close();
  }
}

function requireFiles(dir: string, tx: ReadTx, id: string, where: string): void {
  const files = filesBelow(dir);
  const names = tx.prepare('SELECT sha256 FROM evidence_name WHERE named_by = ?').pluck();
  const wanted = names.all(sha256Hex(`envelope of ${id}`)).map(String);
  if (wanted.length !== 2) throw new Error(`${where}: the result of ${id} names ${wanted.length} files`);
  for (const name of [...wanted, `transcripts/${id}.log`]) {
    if (!files.some((file) => file.endsWith(name))) throw new Error(`${where}: ${id} without ${name}`);
  }
}

async function lookForLeft(dir: string, where: string): Promise<void> {
  const database = await open(dir);
  const rows = [
    'leftover',
    'task',
    'mirror',
    'task_event',
    'mirror_event',
    'receipt',
    'delivery',
    'envelope',
    'evidence_name',
  ];
  const count = (table: string): number =>
    database.withReadTx((tx) => Number(tx.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get()));
  const found = [...rows.map(count), filesBelow(dir).length].join();
  database.close();
  // What is young: one of each, three events at each end, two files that its result names, and two transcripts.
  if (found !== [0, 1, 1, 3, 3, 1, 1, 1, 2, 4].join()) throw new Error(`${where}: what is left counts ${found}`);
}

function filesBelow(dir: string): readonly string[] {
  return ['content', 'transcripts', 'mirrors'].flatMap((name) => {
    if (!existsSync(join(dir, name))) return [];
    const entries = readdirSync(join(dir, name), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  });
}
