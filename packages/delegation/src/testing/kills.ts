import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import { openDatabase, type ReadTx } from '@writ/database';
import { createFakeClock } from '@writ/testkit/clock';
import { KILL_CLOCK_MS } from './kill-child.ts';

const ENDED = `('completed', 'failed', 'cancelled', 'rejected', 'lost')`;
const ASKING = `('input_required', 'approval_required', 'credential_required')`;

/** What may never be seen, whenever a node is killed: each text counts violations. */
const HALF_DONE: Readonly<Record<string, string>> = {
  'a task that waits for no question': `SELECT COUNT(*) FROM task t WHERE t.state = 'waiting'
    AND NOT EXISTS (SELECT 1 FROM approval a WHERE a.task = t.id AND a.state = 'pending')`,
  'a question that no task waits for': `SELECT COUNT(*) FROM approval a WHERE a.state = 'pending'
    AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id = a.task AND t.state = 'waiting')`,
  'a yes that was used by no start': `SELECT COUNT(*) FROM approval a WHERE a.used_at_ms IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id = a.task AND t.state IN ('running', 'completed', 'failed', 'lost'))`,
  'a task that runs without its yes': `SELECT COUNT(*) FROM task t JOIN approval a ON a.task = t.id
    WHERE t.state IN ('running', 'completed') AND a.used_at_ms IS NULL`,
  'a question of a task that does not ask': `SELECT COUNT(*) FROM question q JOIN task t ON t.id = q.task
    WHERE q.state = 'open' AND t.state NOT IN ${ASKING}`,
  'a task that asks nothing': `SELECT COUNT(*) FROM task t WHERE t.state IN ${ASKING}
    AND NOT EXISTS (SELECT 1 FROM question q WHERE q.task = t.id AND q.state = 'open')`,
  'uses of leases that are not those of tasks': `SELECT (SELECT IFNULL(SUM(uses), 0) FROM lease) <>
    (SELECT COUNT(*) FROM task WHERE id LIKE '%-a%' AND attempt_nonce IS NOT NULL)`,
  'an ending without its outcome': `SELECT COUNT(*) FROM task WHERE (state IN ${ENDED}) <> (outcome IS NOT NULL)`,
  'an answer without its audit row': `SELECT COUNT(*) FROM approval a WHERE a.state <> 'pending' AND NOT EXISTS
    (SELECT 1 FROM audit WHERE subject = a.id AND action = 'approval.' || a.state)`,
  'events with a gap': `SELECT COUNT(*) FROM task t WHERE t.last_seq <> (SELECT COUNT(*) FROM task_event WHERE task_n = t.n)`,
};

/** Steps that a child survives at most before it is killed: a few rounds of its work. */
const MOST_STEPS = 600;

/**
 * Kills a process of `program` inside its nth step, for one n after the other from the `from`th on, on one node;
 * looks at what it left behind, and lets the next one go on with it. Throws for the first thing that is half done, lost or damaged.
 */
export async function proveKills(program: string, kills: number, from: number): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'writ-kills-'));
  const witness = join(dir, 'witness');
  try {
    for (let kill = from; kill < from + kills; kill++) {
      const killAt = 1 + ((kill * 37) % MOST_STEPS);
      const args = ['child', join(dir, 'node'), witness, String(killAt)];
      const { signal, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
      if (signal !== 'SIGKILL') throw new Error(`the child was not killed: ${stderr}`);
      await lookAt(join(dir, 'node', 'writ.db'), witness, `killed in step ${killAt}`);
    }
    return `${kills} kills in ${Math.min(kills, MOST_STEPS)} different steps: every database whole, nothing half done, nothing lost`;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function lookAt(path: string, witness: string, where: string): Promise<void> {
  const database = await openDatabase({ path, clock: createFakeClock(KILL_CLOCK_MS), logger: silentLogger });
  try {
    database.withReadTx((tx) => {
      const integrity = tx.prepare('PRAGMA integrity_check').pluck().all();
      if (integrity.join() !== 'ok') throw new Error(`${where}: ${integrity.join('; ')}`);
      for (const [what, sql] of Object.entries(HALF_DONE)) {
        const found = tx.prepare(sql).pluck().get();
        if (found !== 0) throw new Error(`${where}: ${what} (${String(found)})`);
      }
      checkWitness(tx, witness, where);
    });
  } finally {
    database.close();
  }
}

/** What was seen ended is as it was seen; what was seen at all is there. */
function checkWitness(tx: ReadTx, path: string, where: string): void {
  const last = new Map<string, string>();
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    const [task = '', state = ''] = line.split(' ');
    if (task !== '') last.set(task, state);
  }
  for (const [task, seen] of last) {
    const now = tx.prepare('SELECT state FROM task WHERE id = ?').pluck().get(task);
    const isEnded = ENDED.includes(`'${seen}'`);
    if (now === undefined || (isEnded && now !== seen)) {
      throw new Error(`${where}: ${task} was seen ${seen} and is ${String(now ?? 'gone')}`);
    }
  }
}
