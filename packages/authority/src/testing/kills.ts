import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadTx } from '@writ/database';
import { createGateFixture, type GateFixture } from './gate-fixture.ts';
import { halfDone } from './half-done.ts';

/** Steps that a child survives at most before it is killed: about four rounds of its work, each of another sort. */
const MOST_STEPS = 400;

/**
 * Kills a process of `program` inside its nth step, for one n after the other from the `from`th on, on one database;
 * looks at what it left behind, and lets the next one go on with it. Throws for the first thing that is half done, lost or damaged.
 */
export async function proveKills(
  program: string,
  kills: number,
  from: number,
): Promise<{ readonly kills: number; readonly steps: number }> {
  const dir = mkdtempSync(join(tmpdir(), 'writ-kills-'));
  try {
    // A large stride that shares no factor with the range: few kills reach all over it, many reach every step.
    for (let kill = from; kill < from + kills; kill++) {
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
      const bad = halfDone(tx);
      if (bad !== undefined) throw new Error(`${where}: ${bad}`);
    });
    checkWitness(at, join(dir, 'witness'), where);
    at.gate.executions.recover();
    if (at.database.quarantined().length > 0) throw new Error(`${where}: a row cannot be read`);
  } finally {
    at.close();
  }
}

const STARTED = ['running', 'completed', 'failed', 'outcome_unknown', 'cancelled'];
/** What may be there after the last state that was seen; what is not named stays. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  pending: ['approved', 'denied', 'cancelled'],
  pending_approval: ['proposed', 'denied', ...STARTED],
  proposed: ['pending_approval', 'denied', ...STARTED],
  running: ['completed', 'failed', 'outcome_unknown'],
  open: ['closed'],
  live: ['ended'],
  lent: ['renewed', 'revoked'],
  renewed: ['revoked'],
};

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
      if (now !== seen && !(now !== undefined && FOLLOWS[seen]?.includes(now))) {
        throw new Error(`${where}: ${row} was seen ${seen} and is ${now ?? 'gone'}`);
      }
    }
  });
}

/** How the state of what was witnessed is read; one text each. */
const STATES: Readonly<Record<string, string>> = {
  approval: 'SELECT state FROM approval WHERE id = ?',
  execution: 'SELECT state FROM execution WHERE id = ?',
  window: `SELECT CASE WHEN closed_at_ms IS NOT NULL THEN 'closed' ELSE 'open' END FROM window WHERE id = ?`,
  session: `SELECT CASE WHEN ended_at_ms IS NOT NULL THEN 'ended' ELSE 'live' END FROM session WHERE id = ?`,
  lease: `SELECT CASE WHEN revoked_at_ms IS NOT NULL THEN 'revoked' WHEN expires_at_ms > issued_at_ms + 3600000
    THEN 'renewed' ELSE 'lent' END FROM lease WHERE id = ?`,
};

function stateOf(tx: ReadTx, row: string): string | undefined {
  const [table = '', id = ''] = row.split(' ');
  const state = tx
    .prepare(STATES[table] ?? '')
    .pluck()
    .get(id);
  return typeof state === 'string' ? state : undefined;
}
