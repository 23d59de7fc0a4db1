import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadTx } from '@writ/database';
import { createGateFixture, type GateFixture } from './gate-fixture.ts';

/** What may never be seen, whenever a node is killed: each text counts violations. */
const HALF_DONE: Readonly<Record<string, string>> = {
  'a command that waits for a question that does not': `SELECT COUNT(*) FROM execution e JOIN approval a ON a.id = e.approval
    WHERE e.state = 'pending_approval' AND a.state <> 'pending'`,
  'a question that no command waits for': `SELECT COUNT(*) FROM approval a WHERE a.state = 'pending'
    AND NOT EXISTS (SELECT 1 FROM execution e WHERE e.approval = a.id AND e.state = 'pending_approval')`,
  'a command that ran without a yes or a window': `SELECT COUNT(*) FROM execution e LEFT JOIN approval a ON a.id = e.approval
    WHERE e.started_at_ms IS NOT NULL AND e.window IS NULL AND (a.id IS NULL OR a.used_at_ms IS NULL OR a.digest <> e.digest)`,
  'a yes that was used by no command': `SELECT COUNT(*) FROM approval a WHERE a.used_at_ms IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM execution e WHERE e.approval = a.id AND e.started_at_ms IS NOT NULL)`,
  'a yes for the session without its window': `SELECT COUNT(*) FROM approval a WHERE a.scope = 'session'
    AND NOT EXISTS (SELECT 1 FROM window w WHERE w.approval = a.id)`,
  'a window that nobody said yes to': `SELECT COUNT(*) FROM window w WHERE NOT EXISTS
    (SELECT 1 FROM approval a WHERE a.id = w.approval AND a.state = 'approved' AND a.scope = 'session')`,
  'uses of leases that are not those of commands': `SELECT (SELECT SUM(uses) FROM lease) <>
    (SELECT COUNT(*) FROM execution WHERE lease IS NOT NULL AND state <> 'failed')`,
  'a state without its audit row': `SELECT COUNT(*) FROM execution e WHERE NOT EXISTS
    (SELECT 1 FROM audit WHERE subject = e.id AND action = 'execution.' || e.state)`,
  'an answer without its audit row': `SELECT COUNT(*) FROM approval a WHERE a.state <> 'pending' AND NOT EXISTS
    (SELECT 1 FROM audit WHERE subject = a.id AND action = 'approval.' || a.state)`,
};

/** Steps that a child survives at most before it is killed: about three rounds of its work. */
const MOST_STEPS = 240;

/**
 * Kills a process of `program` inside its nth step, for one n after the other, on one database; looks at what it left
 * behind, and lets the next one go on with it. Throws for the first thing that is half done, lost or damaged.
 */
export async function proveKills(
  program: string,
  kills: number,
): Promise<{ readonly kills: number; readonly steps: number }> {
  const dir = mkdtempSync(join(tmpdir(), 'writ-kills-'));
  try {
    // A large stride that shares no factor with the range: few kills reach all over it, many reach every step.
    for (let kill = 0; kill < kills; kill++) {
      const killAt = 1 + ((kill * 37) % MOST_STEPS);
      const args = ['child', join(dir, 'writ.db'), join(dir, 'witness'), String(killAt)];
      const { signal, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
      if (signal !== 'SIGKILL') throw new Error(`the child was not killed: ${stderr}`);
      await lookAt(dir, killAt);
    }
    return { kills, steps: Math.min(kills, MOST_STEPS) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function lookAt(dir: string, killAt: number): Promise<void> {
  const at = await createGateFixture({ path: join(dir, 'writ.db') });
  const where = `killed in step ${killAt}`;
  try {
    at.database.withReadTx((tx) => {
      const integrity = tx.prepare('PRAGMA integrity_check').pluck().all();
      if (integrity.join() !== 'ok') throw new Error(`${where}: ${integrity.join('; ')}`);
      for (const [what, sql] of Object.entries(HALF_DONE)) {
        const found = tx.prepare(sql).pluck().get();
        if (found !== 0 && found !== null) throw new Error(`${where}: ${what} (${String(found)})`);
      }
    });
    checkWitness(at, join(dir, 'witness'), where);
    at.gate.executions.recover();
    if (at.database.quarantined().length > 0) throw new Error(`${where}: a row cannot be read`);
  } finally {
    at.close();
  }
}

/** What was acknowledged before the kill is there: the last state that was seen of each row, or one that follows it. */
function checkWitness(at: GateFixture, path: string, where: string): void {
  const last = new Map<string, string>();
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  for (const line of lines.filter((text) => text !== '')) {
    const [table = '', id = '', state = ''] = line.split(' ');
    last.set(`${table} ${id}`, state);
  }
  at.database.withReadTx((tx) => {
    for (const [row, seen] of last) {
      const now = stateOf(tx, row);
      const follows =
        seen === 'pending_approval' || seen === 'proposed' || (seen === 'running' && now === 'outcome_unknown');
      if (
        now !== seen &&
        !(now !== undefined && (follows || (seen === 'running' && ['completed', 'failed'].includes(now))))
      ) {
        throw new Error(`${where}: ${row} was seen ${seen} and is ${now ?? 'gone'}`);
      }
    }
  });
}

function stateOf(tx: ReadTx, row: string): string | undefined {
  const [table = '', id = ''] = row.split(' ');
  if (table === 'window') {
    return tx.prepare('SELECT closed_by FROM window WHERE id = ?').pluck().get(id) === 'ap-1' ? 'closed' : undefined;
  }
  const sql =
    table === 'approval' ? 'SELECT state FROM approval WHERE id = ?' : 'SELECT state FROM execution WHERE id = ?';
  const state = tx.prepare(sql).pluck().get(id);
  return typeof state === 'string' ? state : undefined;
}
