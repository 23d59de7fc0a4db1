import { mkdir, readdir, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger, Random } from '@writ/core';
import { GIT_CONFIG } from '../git.ts';
import { type Attempt, PREFIX, removeUnused } from './attempt.ts';

/** Names and removal of folders below the root: away with them at once, by a new name, and gone in their own time. */
export interface Disposal {
  /** Makes the root where it is missing, removes there what nobody can want, and gives its real path. */
  open(): Promise<string>;
  /** An absolute path that nothing has had. */
  newName(prefix: string): string;
  /** Rejects where a folder cannot be renamed. */
  discard(path: string): Promise<void>;
  /** Removes an attempt behind the scenes; one that holds anything is renamed away first. */
  giveBack(attempt: Attempt): void;
  /** Folders that could not be removed whole. They take room until a later try. */
  undeleted(): readonly string[];
  /** Tries those again, behind the scenes. */
  retry(): void;
  /** Waits for work on a folder at `idle`; a failure is logged. */
  remember(work: Promise<void>, path: string): void;
  /** Resolves when what is being removed by now is gone, or could not be removed. */
  settled(): Promise<void>;
  /** The same of all that begins meanwhile, too. */
  idle(): Promise<void>;
}

export interface DisposalOptions {
  readonly root: string;
  readonly label: string;
  readonly gitConfigFile: string;
  /** See `remove-tree.ts`. */
  readonly removeTree: (path: string) => Promise<void>;
  readonly random: Random;
  readonly logger: Logger;
}

const NAME_BYTES = 12;

export function createDisposal(options: DisposalOptions): Disposal {
  const { label, random, logger, removeTree } = options;
  let { root } = options;
  const work = new Set<Promise<void>>();
  const newName = (prefix: string): string =>
    join(root, `${prefix}${label}${Buffer.from(random.bytes(NAME_BYTES)).toString('hex')}`);
  const remember = (removal: Promise<void>, path: string): void => {
    const noted = removal
      .catch((error) => logger.warn('a released workspace is not removed', { path, error: String(error) }))
      .finally(() => work.delete(noted));
    work.add(noted);
  };
  const left = new Set<string>();
  const remove = async (trash: string): Promise<void> => {
    left.delete(trash);
    try {
      await removeTree(trash);
    } catch (error) {
      left.add(trash);
      throw error;
    }
  };
  const discard = async (path: string): Promise<void> => {
    const trash = newName(PREFIX.trash);
    await rename(path, trash);
    remember(remove(trash), trash);
  };
  const orDiscard = async (attempt: Attempt): Promise<void> => {
    if (!(await removeUnused(attempt))) await discard(attempt.folder);
  };
  return {
    giveBack: (attempt) => remember(orDiscard(attempt), attempt.folder),
    newName,
    remember,
    discard,
    undeleted: () => [...left],
    retry() {
      for (const trash of [...left]) remember(remove(trash), trash);
    },
    async open() {
      await mkdir(root, { recursive: true, mode: 0o700 });
      // The kernel tells working directories by their real path, and a run's processes are found by theirs.
      root = await realpath(root);
      await writeFile(options.gitConfigFile, GIT_CONFIG, { mode: 0o600 });
      for (const name of await readdir(root)) {
        if (name.startsWith(PREFIX.ready)) await discard(join(root, name));
        else if (name.startsWith(PREFIX.trash)) remember(remove(join(root, name)), name);
      }
      return root;
    },
    async settled() {
      await Promise.all(work);
    },
    async idle() {
      while (work.size > 0) await Promise.all(work);
    },
  };
}
