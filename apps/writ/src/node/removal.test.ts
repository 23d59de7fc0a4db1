import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import { createGitProcess } from '@writ/evidence';
import { createIdentity } from '@writ/identity';
import { stockConfig } from '@writ/policy';
import type { ListedWorkspace } from '@writ/runner';
import { NODE_IDS } from '@writ/testkit/delegation';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { resolveHome } from '../home.ts';
import { type Closers, createClosers } from './closers.ts';
import { openEvidence } from './evidence.ts';
import { type Foundations, openFoundations } from './foundations.ts';
import { createNodeRemoval } from './removal.ts';
import { createSessions } from './sessions.ts';
import { createNodeStorage, type NodeStorage } from './storage.ts';

const DAY_MS = 86_400_000;
const FRIEND = NODE_IDS.alpha;
const STRANGER = NODE_IDS.beta;
const SESSION = '01a00000-0000-7000-8000-000000000001';
const COMMAND = '01a00000-0000-7000-8000-000000000002';

const clock = createSystemClock();
const random = createSystemRandom();
let root: string;
let closers: Closers;
let base: Foundations;
let kept: Pick<ListedWorkspace, 'id' | 'record'>[];
let isKept: ((command: string) => boolean) | undefined;
let storage: NodeStorage;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'writ-removal-'));
  const home = resolveHome(readEnvironment(), join(root, 'home'));
  mkdirSync(home.keysDir, { recursive: true, mode: 0o700 });
  await createIdentity({ dir: home.keysDir, clock, random });
  const stock = stockConfig({ nodeName: 'solo', workspaces: [], isolation: 'none' });
  const more = `\n[storage]\nkeep_tasks = "30d"\n[peers.friend]\nid = "${FRIEND}"\n`;
  writeFileSync(home.configFile, stock + more, { mode: 0o600 });
  closers = createClosers();
  base = await openFoundations(home, silentLogger, closers);
  base.database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' }));
  kept = [];
  storage = await openStorage();
});
afterEach(async () => {
  await storage.close();
  await closers.close(0);
  rmSync(root, { recursive: true });
});

/** Everything of a node that removes, with a runner that has nothing but the clones in `kept`. */
async function openStorage(): Promise<NodeStorage> {
  const git = createGitProcess({ git: 'git', clock });
  const gitRoom = async () => undefined;
  const evidence = await openEvidence(base, { git, gitRoom, endStray: async () => 0 }, readEnvironment());
  const runner = {
    removeTranscript: async () => {},
    storage: {
      undeleted: () => [],
      held: () => [],
      remove: async () => [],
      sweep: async () => ({ workspaces: 0, transcripts: 0 }),
      list: async () => ({ inUse: [], ready: [], kept: kept as ListedWorkspace[], bytes: 0 }),
    },
    commands: {
      async removeOutputs(is: (command: string) => boolean) {
        isKept = is;
        return 0;
      },
    },
  };
  const transcripts = { remove: async () => {} } as unknown as Parameters<typeof createNodeRemoval>[3];
  return createNodeStorage(base, runner, evidence, createNodeRemoval(base, runner, evidence, transcripts));
}

function run(sql: string, ...values: (string | number | null)[]): void {
  base.database.withWriteTx((tx) => void tx.prepare(sql).run(...values));
}

/** Ends the node and starts it again, after `offMs` as its clock says. */
async function startAfter(offMs: number): Promise<void> {
  const { home } = base;
  await storage.close();
  run('UPDATE clock_mark SET high_ms = high_ms - ?, settled_ms = settled_ms - ?', offMs, offMs);
  await closers.close(0);
  closers = createClosers();
  base = await openFoundations(home, silentLogger, closers);
  base.database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' }));
  storage = await openStorage();
}

function storeInvite(id: string, expiredDays: number): void {
  run(
    `INSERT INTO invite (id, secret_hash, profiles, workspaces, created_at_ms, expires_at_ms)
      VALUES (?, ?, '[]', '[]', 1, ?)`,
    ...[id, id, clock.nowMs() - expiredDays * DAY_MS],
  );
}

/** A task that ended so many days ago. */
function storeTask(id: string, sender: string, days: number, result?: string): void {
  run(
    `INSERT INTO task (id, sender, origin, session, agent, chain, idempotency_key, request_digest, spec, bounds, granted, state,
      epoch, last_seq, created_at_ms, outcome, ended_at_ms, version)
      VALUES (?, ?, 'o', 's', 'a', '[]', ?, '', '{}', '{}', '{}', 'completed', 1, 1, 1, ?, ?, 1)`,
    ...[id, sender, id, JSON.stringify({ result }), clock.nowMs() - days * DAY_MS],
  );
}

const left = (table: string): string[] =>
  base.database.withReadTx((tx) => tx.prepare(`SELECT id FROM ${table} ORDER BY id`).pluck().all().map(String));

it('keeps tasks for as long as the policy says, and what a peer has not signed for or lies in a kept clone for longer', async () => {
  storeTask('of a friend', FRIEND, 31, 'r1');
  storeTask('of a stranger', STRANGER, 31, 'r2');
  storeTask('in a clone', 'self', 31);
  storeTask('old', 'self', 31);
  storeTask('young', 'self', 29);
  kept = [{ id: 'one', record: { task: 'in a clone' } as ListedWorkspace['record'] }];
  await storage.sweep();
  expect(left('task')).toEqual(['in a clone', 'of a friend', 'young']);
});

it('removes nothing when the clock stepped ahead, or the node was off for long, in the next start and in the one after it', async () => {
  await startAfter(200 * DAY_MS);
  storeTask('old', 'self', 31);
  storeInvite('old', 31);
  run('INSERT INTO session VALUES (?, ?, ?, ?, NULL)', STRANGER, SESSION, 'a', 1);
  const all = (): readonly string[][] => [left('task'), left('invite'), left('session')];
  for (let starts = 0; starts < 3; starts += 1) {
    await storage.sweep();
    expect(all()).toEqual([['old'], ['old'], [SESSION]]);
    await startAfter(0);
  }
  run('UPDATE clock_mark SET awake_ms = awake_ms + ?', DAY_MS);
  await startAfter(0);
  await storage.sweep();
  expect(all()).toEqual([[], [], []]);
});

it('removes no task that ran here while nobody can say which one a kept clone is of', async () => {
  storeTask('old', 'self', 31);
  kept = [{ id: 'one', record: undefined }];
  await storage.sweep();
  expect(left('task')).toEqual(['old']);
  kept = [];
  await storage.sweep();
  expect(left('task')).toEqual([]);
});

it('tells of the end of a session whoever was asked in it, although all that was asked has gone', async () => {
  const origin = base.identity.public.id;
  const days = (count: number): number => clock.nowMs() - count * DAY_MS;
  for (const id of [SESSION, 'key-1']) run('INSERT INTO session VALUES (?, ?, ?, ?, NULL)', origin, id, 'a', days(40));
  run(
    `INSERT INTO mirror (id, peer, peer_label, session, agent, idempotency_key, spec, state, cursor, created_at_ms, unreachable,
      accepted, outcome, ended_at_ms, version) VALUES ('m', ?, 'friend', ?, 'a', 'k', '{}', 'failed', 1, 1, 0, 1, '{}', ?, 1)`,
    ...[FRIEND, SESSION, days(31)],
  );
  await storage.sweep();
  const holders = base.database.withReadTx((tx) => base.stores.sessions.holders(tx, { origin, session: SESSION }));
  expect([left('mirror'), left('session'), holders]).toEqual([[], [SESSION], [FRIEND]]);
});

it('keeps a session that goes on as long as a credential proves it, and removes it once it has ended for long', async () => {
  const issue = () => {
    const ends = { endSession: () => ({ ended: true, peers: 0 }) };
    const { session, credential } = createSessions(base, ends).issue('fixer');
    run('UPDATE session SET started_at_ms = ? WHERE id = ?', clock.nowMs() - 400 * DAY_MS, session.id);
    return { id: session.id, find: () => createSessions(base, ends).find(credential)?.id };
  };
  const [open, ended] = [issue(), issue()];
  run('UPDATE session SET ended_at_ms = ? WHERE id = ?', clock.nowMs() - 31 * DAY_MS, ended.id);
  run('INSERT INTO session VALUES (?, ?, ?, ?, NULL)', base.identity.public.id, SESSION, 'a', 1);
  await storage.sweep();
  expect([left('session'), open.find(), ended.find()]).toEqual([[open.id], open.id, undefined]);
});

it('keeps a session of which something is kept that was asked for in it', async () => {
  for (const id of ['s', 't']) run('INSERT INTO session VALUES (?, ?, ?, ?, NULL)', STRANGER, id, 'a', 1);
  storeTask('young', 'self', 29);
  await storage.sweep();
  expect(left('session')).toEqual(['s']);
});

it('removes invites that were used or expired long ago, also more than go at once', async () => {
  base.database.withWriteTx((tx) => {
    const insert = tx.prepare(
      `INSERT INTO invite (id, secret_hash, profiles, workspaces, created_at_ms, expires_at_ms, used_at_ms)
        VALUES (?, ?, '[]', '[]', 1, ?, ?)`,
    );
    const days = (count: number): number => clock.nowMs() - count * DAY_MS;
    for (let i = 0; i < 250; i++) insert.run(`old${i}`, `h${i}`, days(31), null);
    insert.run('lately expired', 'l', days(29), null);
    insert.run('lately used', 'u', days(31), days(29));
  });
  await storage.sweep();
  expect(left('invite')).toEqual(['lately expired', 'lately used']);
});

it('keeps the output of commands that it knows, be it that it cannot read what it knows', async () => {
  run(
    `INSERT INTO execution (id, origin, session, agent, requested_by, idempotency_key, class, known, needs, profile, digest,
      request, basis, preview, state, created_at_ms, expires_at_ms, version)
      VALUES (?, 'o', 's', 'a', 'self', 'k', 'read', 1, '[]', 'ops', '', ?, '{}', '', 'running', 1, 9, 1)`,
    ...[COMMAND, '{}'],
  );
  await storage.sweep();
  expect([isKept?.(SESSION), isKept?.(COMMAND)]).toEqual([false, true]);
});
