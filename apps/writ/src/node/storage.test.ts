import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLogger, WritError } from '@writ/core';
import { createGitProcess } from '@writ/evidence';
import { createIdentity } from '@writ/identity';
import { stockConfig } from '@writ/policy';
import { type KeptWorkspace, type SweepOrder, searchPath, type TaskRunner } from '@writ/runner';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { resolveHome } from '../home.ts';
import { type Closers, createClosers } from './closers.ts';
import { openEvidence } from './evidence.ts';
import { type Foundations, openFoundations } from './foundations.ts';
import { createNodeStorage, type NodeStorage } from './storage.ts';

const clock = createSystemClock();
const random = createSystemRandom();
let root: string;
let closers: Closers;
let base: Foundations;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'writ-storage-'));
  const home = resolveHome(readEnvironment(), join(root, 'home'));
  mkdirSync(home.keysDir, { recursive: true, mode: 0o700 });
  await createIdentity({ dir: home.keysDir, clock, random });
  writeFileSync(home.configFile, stockConfig({ nodeName: 'solo', workspaces: [], isolation: 'none' }), { mode: 0o600 });
  closers = createClosers();
  base = await openFoundations(home, silentLogger, closers);
});
afterAll(async () => {
  await closers.close(0);
  rmSync(root, { recursive: true });
});

/** A node's storage that sweeps by `sweep` alone; `gitRoom` is where its git would look at what tasks have left. */
async function storageWith(
  sweep: (order: SweepOrder) => Promise<void>,
  gitRoom: TaskRunner['gitRoom'] = async () => undefined,
  on = base,
  remove: TaskRunner['storage']['remove'] = async () => [],
  others: { readonly outputs?: () => Promise<number>; readonly tasks?: () => Promise<void> } = {},
): Promise<NodeStorage> {
  const git = createGitProcess({ git: 'git', clock });
  const evidence = await openEvidence(base, { git, gitRoom, endStray: async () => 0 }, readEnvironment());
  const nothing = { inUse: [], ready: [], kept: [], bytes: 0 };
  const storage = {
    undeleted: () => [],
    list: async () => nothing,
    held: () => [],
    remove,
    async sweep(order: SweepOrder) {
      await sweep(order);
      return { workspaces: 0, transcripts: 0 };
    },
  };
  return createNodeStorage(on, { storage, commands: { removeOutputs: others.outputs ?? (async () => 0) } }, evidence, {
    async sweep() {
      await others.tasks?.();
      return { tasks: 0, mirrors: 0 };
    },
  });
}

it('looks at what a task has left in a room: git runs there with no right of the node’s', async () => {
  const source = join(root, 'source');
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: source, env: { PATH: path } });
  const path = searchPath(readEnvironment().all.PATH);
  mkdirSync(source);
  git('init', '-q');
  writeFileSync(join(source, 'a.txt'), 'left\n');
  const rooms: (readonly string[])[] = [];
  let found: boolean | undefined;
  const storage = await storageWith(
    async ({ holdsWork }) => {
      const clone = { source, objectFormat: 'sha1' as const };
      found = await holdsWork({ clone } as Parameters<typeof holdsWork>[0], source);
    },
    async ({ read }) => {
      rooms.push(read);
      return undefined;
    },
  );
  await storage.sweep();
  expect({ found, rooms }).toEqual({ found: true, rooms: [[source]] });
});

it('answers for a removal where the database takes nothing, and writes it down when it does', async () => {
  let isFull = true;
  let ring = (): void => {};
  const pausing = {
    ...clock,
    setTimer: (_: number, again: () => void) => {
      ring = again;
      return () => {};
    },
  };
  const withWriteTx: Foundations['database']['withWriteTx'] = (step) => {
    if (isFull) throw new WritError('DATABASE_ERROR', 'the disk is full');
    return base.database.withWriteTx(step);
  };
  const full = { ...base, clock: pausing, database: { ...base.database, withWriteTx } };
  const end = { state: 'failed', atMs: 1, unbundled: 'none' } as const;
  const one: KeptWorkspace = { id: 'one', dir: join(root, 'one'), end, bytes: 1 };
  const storage = await storageWith(
    async () => {},
    undefined,
    full,
    async ({ removed }) => {
      removed([one]);
      return [one];
    },
  );
  const written = () => base.database.auditTail(10).filter(({ action }) => action === 'node.workspaces-removed');
  expect(await storage.remove({ unbundled: false, actor: 'a person' })).toMatchObject([{ id: 'one' }]);
  expect(written()).toEqual([]);
  isFull = false;
  ring();
  await storage.close();
  expect(written()).toMatchObject([{ actor: 'a person', details: { removed: 1, tasks: [], unbundled: false } }]);
});

it('sweeps everything else where one thing cannot be swept, and says which', async () => {
  const said: unknown[] = [];
  const error = (message: string, details?: unknown): void => void said.push([message, details]);
  let swept = 0;
  const fail = async (): Promise<never> => {
    throw new Error('it cannot be listed');
  };
  const on = { ...base, logger: { ...silentLogger, error } };
  const tasks = async (): Promise<void> => {
    swept += 1;
  };
  const storage = await storageWith(fail, undefined, on, undefined, { outputs: fail, tasks });
  await storage.sweep();
  await storage.close();
  const reason = 'Error: it cannot be listed';
  expect({ swept, said }).toEqual({
    swept: 1,
    said: ['clones', 'outputs'].map((what) => ['what is over could not be swept', { what, reason }]),
  });
});

it('closes when the sweep under way is over, cut short, and sweeps no more', async () => {
  let count = 0;
  let isOver = false;
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const storage = await storageWith(
    async ({ holdsWork }) => {
      count += 1;
      const clone = { source: root, objectFormat: 'sha1' as const };
      const looking = holdsWork({ clone } as Parameters<typeof holdsWork>[0], root);
      await expect(looking).rejects.toThrow('nobody wants it');
      isOver = true;
    },
    ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('nobody wants it')));
        begin();
      }),
  );
  void storage.sweep();
  await begun;
  void storage.sweep();
  await storage.close();
  await storage.sweep();
  expect([isOver, count]).toEqual([true, 1]);
});
