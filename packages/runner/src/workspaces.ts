import { mkdir, readdir, realpath, rename, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Logger, quote, type Random, WritError } from '@writ/core';
import { checkout } from './checkout.ts';
import { GIT_CONFIG, type Git } from './git.ts';
import { removeTree } from './remove-tree.ts';
import type { Clone, WorkspaceSource } from './types.ts';

/** The folders of one attempt, all 0700. */
export interface Attempt {
  /** Holds the others; what works inside it belongs to the run. */
  readonly folder: string;
  /** The clone, or an empty scratch folder; the run's working directory. */
  readonly work: string;
  readonly home: string;
  readonly tmp: string;
  /** Writable space beside `work`, where the run has some. */
  readonly scratch?: string;
  /** What `work` was when it was handed out; absent: it was empty. */
  readonly clone?: Clone;
}

/** How an attempt is prepared. */
export interface Preparing {
  /** Marks the processes that do it. */
  readonly nonce: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The run gets writable space beside its working directory. */
  readonly scratch: boolean;
}

/** Folders for attempts: each has an unpredictable name and is used once. */
export interface Workspaces {
  /**
   * Makes the folders and, where a source is named, clones it. Rejects with GIT_FAILED, BAD_REQUEST or, when `signal`
   * aborts, CANCELLED; nothing is left then.
   */
  prepare(source: WorkspaceSource | undefined, how: Preparing): Promise<Attempt>;
  /** Removes an attempt behind the scenes; one that holds anything is renamed away first. */
  release(attempt: Attempt): void;
  /** Resolves when everything released is removed. */
  close(): Promise<void>;
}

export interface WorkspacesOptions {
  /** Absolute; only this object uses it. */
  readonly root: string;
  /** Begins the names of all that is made; no earlier user of the root had the same. */
  readonly label: string;
  readonly git: Git;
  /** Where the node's git configuration is written to, inside `root`. */
  readonly gitConfigFile: string;
  readonly random: Random;
  readonly logger: Logger;
}

const ATTEMPT = 'run-';
const TRASH = 'trash-';
const NAME_BYTES = 12;
/** Sets of folders that are made ahead, so that no run waits for its own. */
const SPARES = 4;

/** Makes the root at once, and removes there what an earlier process has left; the first use hears of a failure. */
export function createWorkspaces(options: WorkspacesOptions): Workspaces {
  const { logger } = options;
  let { root } = options;
  const work = new Set<Promise<void>>();
  const spares: Promise<Attempt>[] = [];
  const newName = (prefix: string): string =>
    join(root, `${prefix}${options.label}${Buffer.from(options.random.bytes(NAME_BYTES)).toString('hex')}`);
  const remember = (removal: Promise<void>, path: string): void => {
    const noted = removal
      .catch((error) => logger.warn('a released workspace is not removed', { path, error: String(error) }))
      .finally(() => work.delete(noted));
    work.add(noted);
  };
  const discard = async (path: string): Promise<void> => {
    const trash = newName(TRASH);
    await rename(path, trash);
    remember(removeTree(trash), trash);
  };
  const open = async (): Promise<void> => {
    await mkdir(root, { recursive: true, mode: 0o700 });
    // The kernel tells working directories by their real path, and a run's processes are found by theirs.
    root = await realpath(root);
    await writeFile(options.gitConfigFile, GIT_CONFIG, { mode: 0o600 });
    for (const name of await readdir(root)) {
      if (name.startsWith(ATTEMPT)) await discard(join(root, name));
      else if (name.startsWith(TRASH)) remember(removeTree(join(root, name)), name);
    }
  };
  const ready = open();
  ready.catch(() => {});
  const make = (): Promise<Attempt> => makeFolders(newName(ATTEMPT));
  const take = async (): Promise<Attempt> => {
    await ready;
    const taken = spares.shift()?.catch(make) ?? make();
    while (spares.length < SPARES) {
      const spare = make();
      spare.catch(() => {});
      spares.push(spare);
    }
    return taken;
  };
  const giveBack = async (attempt: Attempt): Promise<void> => {
    if (!(await removeUnused(attempt))) await discard(attempt.folder);
  };
  return {
    async prepare(source, how) {
      const taken = await take();
      const attempt = how.scratch ? { ...taken, scratch: join(taken.folder, 'scratch') } : taken;
      try {
        if (attempt.scratch !== undefined) await mkdir(attempt.scratch, { mode: 0o700 });
        const clone = source === undefined ? undefined : await cloneInto(attempt, source, how, options.git);
        if (how.signal.aborted) throw notWanted();
        return { ...attempt, ...(clone === undefined ? {} : { clone }) };
      } catch (error) {
        await discard(attempt.folder);
        throw how.signal.aborted ? notWanted() : error;
      }
    },
    release: (attempt) => remember(giveBack(attempt), attempt.folder),
    async close() {
      await ready.catch(() => {});
      for (const spare of spares.splice(0)) {
        const unused = await spare.catch(() => undefined);
        if (unused !== undefined) await giveBack(unused);
      }
      while (work.size > 0) await Promise.all(work);
    },
  };
}

async function makeFolders(folder: string): Promise<Attempt> {
  const attempt: Attempt = { folder, work: join(folder, 'work'), home: join(folder, 'home'), tmp: join(folder, 'tmp') };
  await mkdir(attempt.folder, { mode: 0o700 });
  await Promise.all([attempt.work, attempt.home, attempt.tmp].map((path) => mkdir(path, { mode: 0o700 })));
  return attempt;
}

/** Most runs leave their folders empty: a few calls, instead of a walk. False where something is left. */
async function removeUnused({ folder, work, home, tmp, scratch }: Attempt): Promise<boolean> {
  try {
    await Promise.all([work, home, tmp, ...(scratch === undefined ? [] : [scratch])].map((path) => rmdir(path)));
    await rmdir(folder);
    return true;
  } catch {
    return false;
  }
}

async function cloneInto(attempt: Attempt, source: WorkspaceSource, how: Preparing, git: Git): Promise<Clone> {
  await assertFolder(source);
  return checkout(source, attempt, (args, cwd) => git(args, { ...attempt, ...how, cwd }));
}

function notWanted(): WritError {
  return new WritError('CANCELLED', 'the workspace is not wanted any more');
}

async function assertFolder({ name, path }: WorkspaceSource): Promise<void> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder && path.startsWith('/')) return;
  throw new WritError('GIT_FAILED', `workspace ${quote(name)}: there is no folder ${quote(path)}`, {
    details: { workspace: name, path },
    nextSteps: [`on the executing node, mend \`path\` of [workspaces.${name}]`],
  });
}
