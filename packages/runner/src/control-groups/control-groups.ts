import { constants } from 'node:fs';
import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@writ/core';
import { hasErrno } from '@writ/core';
import { ownGroup } from './own-group.ts';

/** Control groups of version 2, one for each run, as far as this node may make them. */
export interface ControlGroups {
  /** What they limit, or why there are none; looked at once. */
  report(): Promise<GroupsReport>;
  /** A group of this name; undefined where there are none. Rejects where the kernel refuses it. */
  open(name: string): Promise<RunGroup | undefined>;
}

/** Whether runs get groups of their own. */
export type GroupsReport =
  | { readonly available: true; readonly limits: readonly string[] }
  | { readonly available: false; readonly reason: string };

/** The group of one run. */
export interface RunGroup {
  readonly folder: string;
  /** The same program, which joins the group before it starts. */
  join(argv: readonly string[]): readonly string[];
  /** Kills what is left in it, and removes it. */
  close(): Promise<void>;
}

/** What control groups are made with. */
export interface ControlGroupsOptions {
  /** Absolute path of the file system of processes. */
  readonly proc: string;
  /** Controllers without which no groups are made: each run pays for its own. */
  readonly needed: readonly string[];
  /** Names the groups of this node, and no other's. */
  readonly label: string;
  /** Of the machine, bytes. */
  readonly memoryBytes: number;
  /** Whether a pid is this process or one that it started. */
  readonly isOwn: (pid: number) => boolean;
  readonly pause: (ms: number) => Promise<void>;
  readonly logger: Logger;
}

/** Of the machine's memory, what one run may take: the node and its person go on beside it. */
const MEMORY_SHARE = 0.8;
/** Processes and threads of one run. */
const PROCESSES = 4096;
/** Of the processor, where others want it too; a group that nobody changed weighs 100. */
const CPU_WEIGHT = 50;
/** What is limited where it can be, and how a person reads of it. */
const LIMITED = { memory: 'memory as a whole', pids: 'processes as a whole', cpu: 'share of the processor' } as const;
/** A group is busy for a moment after its last process has gone. */
const TRIES = 100;
const PAUSE_MS = 10;
const JOIN = 'echo 0 > "$0/cgroup.procs" && exec "$@"';

/** For a person: what a run's group limits. */
export function describeGroups(report: GroupsReport): string {
  if (!report.available) return `no control groups: ${report.reason}`;
  return `limited by control groups: ${report.limits.join(', ')}`;
}

/** Nothing is looked at or changed before it is asked for. */
export function createControlGroups(options: ControlGroupsOptions): ControlGroups {
  let opening: Promise<Opened> | undefined;
  const opened = (): Promise<Opened> => {
    opening ??= openBase(options).catch((error: unknown) => ({ reason: `they cannot be made: ${reasonOf(error)}` }));
    const mine = opening;
    // Whoever started this node leaves its group soon.
    void mine.then((base) => {
      if ('isShared' in base && opening === mine) opening = undefined;
    });
    return mine;
  };
  return {
    async report() {
      const base = await opened();
      if ('reason' in base) return { available: false, reason: base.reason };
      return { available: true, limits: base.controllers.map((name) => LIMITED[name]) };
    },
    async open(name) {
      const base = await opened();
      if ('reason' in base) return undefined;
      const folder = join(base.folder, name);
      await mkdir(folder);
      const close = (): Promise<void> => removeGroup(folder, options);
      try {
        await limit(folder, options.memoryBytes, base.controllers);
      } catch (error) {
        await close();
        throw error;
      }
      return { folder, join: (argv) => ['/bin/sh', '-c', JOIN, folder, ...argv], close };
    },
  };
}

type Opened =
  | { readonly folder: string; readonly controllers: readonly Controller[] }
  | { readonly reason: string; readonly isShared?: true };

type Controller = keyof typeof LIMITED;

/** Makes room for the groups of runs: below this node's own group, or below the root where it is in that. */
async function openBase({ proc, needed, label, isOwn, pause, logger }: ControlGroupsOptions): Promise<Opened> {
  const [mountinfo, cgroup] = await Promise.all(['mountinfo', 'cgroup'].map((name) => text(join(proc, 'self', name))));
  const own = ownGroup(mountinfo ?? '', cgroup ?? '');
  if (own === undefined) return { reason: 'this machine has no control groups of version 2' };
  const given = (await text(join(own.folder, 'cgroup.controllers'))).trim().split(' ');
  const missing = needed.filter((name) => !given.includes(name));
  if (missing.length > 0) return { reason: `this node’s control group has no ${missing.join(' and no ')} to give` };
  const isWritable = await access(join(own.folder, 'cgroup.subtree_control'), constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) return { reason: 'this node may not divide its control group' };
  const controllers = (['memory', 'pids', 'cpu'] as const).filter((name) => given.includes(name));
  const folder = join(own.folder, `writ-${label}`);
  if (own.folder !== own.mount) {
    const pids = await pidsIn(own.folder);
    if (!pids.every(isOwn)) return { reason: 'this node shares its control group with other programs', isShared: true };
    await stepAside(own.folder, pids);
  }
  await enable(own.folder, controllers);
  for (const name of await groupsIn(folder)) await removeGroup(join(folder, name), { pause, logger });
  await mkdir(folder, { recursive: true });
  await enable(folder, controllers);
  return { folder, controllers };
}

/** A group whose share is divided holds no process itself. */
async function stepAside(folder: string, pids: readonly number[]): Promise<void> {
  const aside = join(folder, 'node');
  await mkdir(aside, { recursive: true });
  for (const pid of pids) await writeFile(join(aside, 'cgroup.procs'), String(pid));
}

async function enable(folder: string, controllers: readonly Controller[]): Promise<void> {
  if (controllers.length === 0) return;
  await writeFile(join(folder, 'cgroup.subtree_control'), controllers.map((name) => `+${name}`).join(' '));
}

async function limit(folder: string, memoryBytes: number, controllers: readonly Controller[]): Promise<void> {
  const set = (name: string, value: number): Promise<void> => writeFile(join(folder, name), String(value));
  if (controllers.includes('memory')) {
    await set('memory.max', Math.floor(memoryBytes * MEMORY_SHARE));
    // A kernel without swap has no such file; one that ends a single process of a run leaves half of it.
    await set('memory.swap.max', 0).catch(() => {});
    await set('memory.oom.group', 1).catch(() => {});
  }
  if (controllers.includes('pids')) await set('pids.max', PROCESSES);
  if (controllers.includes('cpu')) await set('cpu.weight', CPU_WEIGHT);
}

// INVARIANT: 9 no process outlives its run: whatever it shed, it is in the run's group or in one that it made below
// that. Without a sandbox it may have moved itself to another group of this user; there the marks of the run find it.
async function removeGroup(
  folder: string,
  { pause, logger }: Pick<ControlGroupsOptions, 'pause' | 'logger'>,
): Promise<void> {
  let last: unknown;
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      // Of those below too; a kernel without it leaves them to the marks of the run.
      await writeFile(join(folder, 'cgroup.kill'), '1').catch(() => {});
      await removeEmpty(folder);
      return;
    } catch (error) {
      last = error;
      await pause(PAUSE_MS);
    }
  }
  logger.error('a control group is left', { folder, error: reasonOf(last) });
}

/** Removes a group and those below it, the deepest first. Rejects where one of them is busy. */
async function removeEmpty(folder: string): Promise<void> {
  for (const name of await groupsIn(folder)) await removeEmpty(join(folder, name));
  await rmdir(folder).catch((error: unknown) => {
    if (!hasErrno(error, 'ENOENT')) throw error;
  });
}

async function pidsIn(folder: string): Promise<readonly number[]> {
  return (await text(join(folder, 'cgroup.procs'))).split('\n').filter(Boolean).map(Number);
}

async function groupsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function text(path: string): Promise<string> {
  return readFile(path, 'utf8');
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
