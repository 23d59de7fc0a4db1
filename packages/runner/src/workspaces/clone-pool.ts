import type { Logger } from '@writ/core';
import type { Attempt } from './attempt.ts';
import { clone, type GitIn } from './checkout.ts';
import { isCloneOf, movedRefs, readSourceRefs, type SourceRefs, sameRefs } from './source-refs.ts';
import { treeSize } from './tree-size.ts';
import type { WorkspaceSource } from './types.ts';

/** A clone that stands ready, in folders of its own. */
interface Ready {
  readonly attempt: Attempt;
  readonly refs: SourceRefs;
  readonly bytes: number;
}

/** Clones of the node's workspaces that are made before somebody needs them. */
export interface ClonePool {
  /**
   * A clone of a repository as it is now, in folders that nobody has used; undefined where there is none. `git` works for
   * whoever takes it. `adopt` gives the folders their final name first.
   */
  take(
    source: WorkspaceSource,
    git: (attempt: Attempt) => GitIn,
    adopt: (attempt: Attempt) => Promise<Attempt>,
  ): Promise<Attempt | undefined>;
  /** Makes as many as are wanted, in the background, one after the other. */
  fill(source: WorkspaceSource): void;
  /** What stands ready, by the path of its repository. */
  list(): readonly { readonly path: string; readonly folder: string; readonly bytes: number }[];
  /** What that takes of the disk. */
  bytes(): number;
  /** Gives up what is not wanted any more. */
  trim(): void;
  /** Gives up everything; resolves when nothing is being made any more. */
  close(): Promise<void>;
}

export interface ClonePoolOptions {
  /** How many clones of a workspace are to stand ready; 0: none, as of one that is elsewhere now. */
  readonly wanted: (workspace: Pick<WorkspaceSource, 'name' | 'path'>) => number;
  /** Whether there is room for one more. */
  readonly hasRoom: () => boolean;
  /** Makes the folders of a clone. */
  readonly make: () => Promise<Attempt>;
  /** Git in the background, until `signal` aborts. */
  readonly git: (attempt: Attempt, signal: AbortSignal) => GitIn;
  /** Removes folders that nobody uses. */
  readonly discard: (attempt: Attempt) => void;
  readonly logger: Logger;
}

/** A source that changes while it is cloned is cloned again, so often; then the next task tries. */
const MOST_FAILURES = 3;

/**
 * A clone is handed out only where its source says, at that moment, what it said when the clone was made, or where what has
 * come since can be added; nothing that a source has dropped is in a clone. Its files were touched by nobody but the node.
 */
export function createClonePool(options: ClonePoolOptions): ClonePool {
  const { wanted, hasRoom, discard, logger } = options;
  /** By the path of the repository and the name of the workspace: two names may want different numbers. */
  const shelves = new Map<string, { readonly source: WorkspaceSource; readonly ready: Ready[] }>();
  const shutdown = new AbortController();
  let filling: Promise<void> = Promise.resolve();
  const shelfOf = ({ name, path }: WorkspaceSource): { readonly source: WorkspaceSource; readonly ready: Ready[] } => {
    const key = `${name}\0${path}`;
    const shelf = shelves.get(key) ?? { source: { name, path }, ready: [] };
    shelves.set(key, shelf);
    return shelf;
  };
  const giveUp = (ready: Ready[]): void => {
    for (const { attempt } of ready.splice(0)) discard(attempt);
  };
  const makeOne = async (source: WorkspaceSource): Promise<Ready | undefined> => {
    const attempt = await options.make();
    const git = options.git(attempt, shutdown.signal);
    try {
      const refs = await readSourceRefs(source.path, attempt.folder, git);
      if (refs?.head !== undefined) {
        await clone(source, attempt, git, true);
        // What came into the source meanwhile makes it another clone than its refs say.
        const isWhole = await isCloneOf(attempt.work, refs, git);
        if (isWhole && !shutdown.signal.aborted) return { attempt, refs, bytes: await treeSize(attempt.folder) };
      }
    } catch (error) {
      // Whoever needs the workspace hears of it.
      logger.debug('no clone is made ahead', { workspace: source.name, error: String(error) });
    }
    discard(attempt);
    return undefined;
  };
  const fillShelf = async (source: WorkspaceSource): Promise<void> => {
    const { ready } = shelfOf(source);
    let failures = 0;
    while (!shutdown.signal.aborted && ready.length < wanted(source) && hasRoom() && failures < MOST_FAILURES) {
      const one = await makeOne(source);
      if (one === undefined) failures += 1;
      else if (shutdown.signal.aborted) discard(one.attempt);
      else ready.push(one);
    }
  };
  return {
    async take(source, git, adopt) {
      const one = shelfOf(source).ready.shift();
      return one && handOut(source, one, { git, adopt }, options);
    },
    fill(source) {
      if (shutdown.signal.aborted || wanted(source) === 0) return;
      filling = filling
        .then(() => fillShelf({ name: source.name, path: source.path }))
        .catch((error) => logger.warn('clones are not made ahead', { workspace: source.name, error: String(error) }));
    },
    list: () =>
      [...shelves.values()].flatMap(({ source, ready }) =>
        ready.map(({ attempt, bytes }) => ({ path: source.path, folder: attempt.folder, bytes })),
      ),
    bytes: () => [...shelves.values()].flatMap(({ ready }) => ready).reduce((sum, { bytes }) => sum + bytes, 0),
    trim() {
      for (const { source, ready } of shelves.values()) giveUp(ready.splice(hasRoom() ? wanted(source) : 0));
    },
    async close() {
      shutdown.abort();
      await filling;
      for (const { ready } of shelves.values()) giveUp(ready);
    },
  };
}

/** One that cannot be taken, or is no clone of now, is given up: whoever wanted it makes another. */
async function handOut(
  source: WorkspaceSource,
  one: Ready,
  how: { readonly git: (attempt: Attempt) => GitIn; readonly adopt: (attempt: Attempt) => Promise<Attempt> },
  { discard, logger }: Pick<ClonePoolOptions, 'discard' | 'logger'>,
): Promise<Attempt | undefined> {
  let { attempt } = one;
  let isFit = false;
  try {
    const adopted = await how.adopt(attempt).catch((error) => {
      logger.warn('a clone that stood ready cannot be taken', { workspace: source.name, error: String(error) });
    });
    if (adopted === undefined) return undefined;
    attempt = adopted;
    isFit = await isCurrent(source, { ...one, attempt }, how.git(attempt));
  } finally {
    if (!isFit) discard(attempt);
  }
  return isFit ? attempt : undefined;
}

/** Whether a clone is one of its source as that is now; what has only grown is brought up to date. */
async function isCurrent(source: WorkspaceSource, { attempt, refs }: Ready, git: GitIn): Promise<boolean> {
  const now = await readSourceRefs(source.path, attempt.folder, git);
  if (now?.head === undefined) return false;
  if (sameRefs(refs, now)) return true;
  const moved = movedRefs(refs, now);
  if (moved === undefined) return false;
  const { work } = attempt;
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--no-auto-gc'];
  const all = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  if (!(await git([...fetch, '--', source.path, ...all], work)).ok) return false;
  for (const { was, is } of moved) {
    if (!(await git(['merge-base', '--is-ancestor', was, is], work)).ok) return false;
  }
  if (now.head !== refs.head && !(await moveHead(work, refs.head ?? '', now.head, git))) return false;
  return isCloneOf(work, now, git);
}

/** Files that did not change keep the form they were checked out in: where attributes have changed, that may be another. */
async function moveHead(work: string, was: string, is: string, git: GitIn): Promise<boolean> {
  const attributes = [':(glob)**/.gitattributes'];
  const changed = await git(['diff-tree', '-r', '--name-only', '--no-ext-diff', was, is, '--', ...attributes], work);
  if (!changed.ok || changed.stdout !== '') return false;
  return (await git(['reset', '--quiet', '--hard', '--no-recurse-submodules', is], work)).ok;
}
