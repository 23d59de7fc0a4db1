import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, formatSize, type Logger, quote, type Random, UNCOUNTED_BYTES, WritError } from '@writ/core';
import type { Git } from '../git.ts';
import { type Attempt, attemptIn, makeAttempt, PREFIX } from './attempt.ts';
import { checkout, type GitIn, switchTo } from './checkout.ts';
import { type ClonePool, createClonePool } from './clone-pool.ts';
import { createDisposal, type Disposal } from './disposal.ts';
import { createKeptWorkspaces, type KeptWorkspaces } from './kept.ts';
import { writeRecord } from './record.ts';
import { removeTree } from './remove-tree.ts';
import { createSpares } from './spares.ts';
import type { Clone, Fate, StorageRules, WorkspaceSource } from './types.ts';

/** How an attempt is prepared. */
export interface Preparing {
  /** For which task. */
  readonly task: string;
  /** Who asked for it; see `RunSpec`. */
  readonly sender: string;
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
   * Makes the folders and, where a source is named, clones it, or takes a clone that stands ready. Rejects with
   * GIT_FAILED, BAD_REQUEST, LIMIT_EXCEEDED (work of this sender that is kept nowhere else takes all its room) or, when `signal` aborts,
   * CANCELLED; nothing is left then.
   */
  prepare(source: WorkspaceSource | undefined, how: Preparing): Promise<Attempt>;
  /** Keeps or removes an attempt behind the scenes; what holds anything is renamed first. No fate: it holds nothing. */
  release(attempt: Attempt, fate?: Fate): void;
  readonly kept: KeptWorkspaces;
  /** What is to be deleted, and could not be yet. */
  readonly trash: Pick<Disposal, 'undeleted' | 'retry' | 'settled'>;
  readonly pool: Pick<ClonePool, 'list' | 'bytes' | 'trim'>;
  /** Resolves when what an earlier process left is taken over. */
  adopted(): Promise<void>;
  /** Makes nothing ahead any more; resolves when no process does. */
  stop(): Promise<void>;
  /** Resolves when everything released is removed. */
  close(): Promise<void>;
}

export interface WorkspacesOptions {
  /** Absolute; only this object uses it. */
  readonly root: string;
  /** Begins the names of all that is made; no earlier user of the root had the same. */
  readonly label: string;
  readonly git: Git;
  /** Marks processes that work for no run. */
  readonly newNonce: () => string;
  /** Where the node's git configuration is written to, inside `root`. */
  readonly gitConfigFile: string;
  /** Resolves when processes that an earlier user of the root left are gone; only then is what they left taken over. */
  readonly alone: Promise<unknown>;
  readonly rules: () => StorageRules;
  readonly isTimeBelieved: () => boolean;
  /** How many clones of a workspace are to stand ready; 0: none, as of one that is elsewhere now. */
  readonly ready: (workspace: Pick<WorkspaceSource, 'name' | 'path'>) => number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Longest that a clone may take which nobody waits for, milliseconds. */
const AHEAD_MS = 600_000;
/** Most bytes that git may answer with about the refs of a repository. */
const REFS_BYTES = 8 * 1024 * 1024;

/** Makes the root at once, and removes there what an earlier process has left; the first use hears of a failure. */
export function createWorkspaces(options: WorkspacesOptions): Workspaces {
  const { git, logger, rules } = options;
  const disposal = createDisposal({ ...options, removeTree });
  const { discard, giveBack, remember, newName } = disposal;
  const ready = disposal.open();
  ready.catch(() => {});
  const kept = createKeptWorkspaces({ ...options, root: () => ready, otherBytes: () => pool.bytes(), discard });
  const adopted = ready
    .then(() => options.alone)
    .then(() => kept.adopt())
    .catch((error) => logger.error('what an earlier node left is not taken over', { error: String(error) }));
  const make = (prefix: string): Promise<Attempt> => makeAttempt(newName(prefix));
  const gitFor =
    (attempt: Attempt, how: Pick<Preparing, 'nonce' | 'timeoutMs' | 'signal'>): GitIn =>
    (args, cwd) =>
      git(args, { ...attempt, ...how, maxOutputBytes: REFS_BYTES, cwd });
  const pool: ClonePool = createClonePool({
    wanted: options.ready,
    hasRoom: () => kept.counted() + pool.bytes() < rules().budgetBytes,
    make: async () => ready.then(() => make(PREFIX.ready)),
    git: (attempt, signal) => gitFor(attempt, { nonce: options.newNonce(), timeoutMs: AHEAD_MS, signal }),
    discard: giveBack,
    logger,
  });
  const spares = createSpares(() => make(PREFIX.run));
  const cloneFor = async (source: WorkspaceSource, how: Preparing): Promise<Attempt> => {
    const pooled = await pool.take(
      source,
      (attempt) => gitFor(attempt, how),
      (attempt) => renamed(attempt, newName(PREFIX.run)),
    );
    const attempt = pooled ?? (await spares.take());
    try {
      const work = gitFor(attempt, how);
      const clone = pooled ? await switchTo(source, attempt.work, work) : await checkout(source, attempt, work);
      await recordClone(attempt, source, clone, how, options);
      return { ...attempt, clone };
    } catch (error) {
      await discard(attempt.folder);
      throw error;
    }
  };
  return {
    async prepare(source, how) {
      await ready;
      if (source !== undefined) await assertFolder(source);
      if (source !== undefined) assertRoom(kept, how.sender);
      try {
        const taken = source === undefined ? await spares.take() : await cloneFor(source, how);
        return await finish(taken, how, discard);
      } catch (error) {
        throw how.signal.aborted ? notWanted() : error;
      } finally {
        if (source !== undefined) pool.fill(source);
      }
    },
    release(attempt, fate) {
      if (attempt.clone === undefined || fate === undefined) return giveBack(attempt);
      const keeping = kept.keep(attempt, fate).then((isKept) => (isKept ? undefined : discard(attempt.folder)));
      remember(keeping, attempt.folder);
    },
    ...{ kept, pool, trash: disposal },
    adopted: () => adopted,
    stop: pool.close,
    async close() {
      await ready.catch(() => {});
      await adopted;
      for (const unused of await spares.close()) giveBack(unused);
      await disposal.idle();
    },
  };
}

async function renamed({ folder }: Attempt, to: string): Promise<Attempt> {
  await rename(folder, to);
  return attemptIn(to);
}

/** Before the run can touch anything: without it nobody knows, after a crash, whose work this was. */
async function recordClone(
  { folder }: Attempt,
  { name }: WorkspaceSource,
  clone: Clone,
  { task, sender }: Preparing,
  { clock, random }: Pick<WorkspacesOptions, 'clock' | 'random'>,
): Promise<void> {
  await writeRecord(folder, { task, sender, workspace: name, clone, preparedAtMs: clock.nowMs() }, random);
}

async function finish(taken: Attempt, how: Preparing, discard: (folder: string) => Promise<void>): Promise<Attempt> {
  try {
    const attempt = how.scratch ? { ...taken, scratch: join(taken.folder, 'scratch') } : taken;
    if (attempt.scratch !== undefined) await mkdir(attempt.scratch, { mode: 0o700 });
    if (how.signal.aborted) throw notWanted();
    return attempt;
  } catch (error) {
    await discard(taken.folder);
    throw error;
  }
}

/** What nothing removes by itself must not fill the disk, and one sender not the room of all others. */
function assertRoom(kept: KeptWorkspaces, sender: string): void {
  const held = kept.held().find((one) => one.sender === sender);
  if (held === undefined || held.bytes <= held.shareBytes) return;
  const isCounted = held.bytes < UNCOUNTED_BYTES;
  const takes = isCounted ? `take ${formatSize(held.bytes)}` : 'cannot be counted';
  throw new WritError(
    'LIMIT_EXCEEDED',
    `workspaces with work of this sender that is kept nowhere else ${takes}; its share is ${formatSize(held.shareBytes)}`,
    {
      nextSteps: [
        'on the executing node, look at them: writ workspace list',
        'and remove what nobody needs: writ workspace prune --unbundled ID',
        // No budget is large enough for what cannot be counted.
        ...(isCounted ? ['or raise `budget` of [storage]'] : []),
      ],
    },
  );
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
