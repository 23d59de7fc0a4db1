import { lstat } from 'node:fs/promises';
import { findFiltered } from './filtered.ts';
import type { GitDir, InTree } from './git-dir.ts';
import { joinNul, splitNul } from './raw-path.ts';
import { below } from './tree-walk.ts';

/** Files of an owner that are as the owner's index says, by path (`latin1`). */
export interface OwnersFiles {
  /** What the index holds without a conflict: mode and id. */
  readonly entries: ReadonlyMap<string, string>;
  /** Those that the owner's git takes for unchanged; those that it keeps off the disk (a sparse checkout) among them. */
  readonly unchanged: ReadonlySet<string>;
}

/** Where nothing is known from an owner. */
export const NO_OWNERS_FILES: OwnersFiles = { entries: new Map(), unchanged: new Set() };

/** Asks git what it would say to the owner. `inTree` names the owner's index, or a copy that is no younger. */
export async function ownersFiles(git: GitDir, inTree: InTree): Promise<OwnersFiles> {
  const [entries, aside] = [new Map<string, string>(), [] as string[]];
  for (const line of splitNul(await git.run('index', ['ls-files', '-z', '-t', '--stage'], inTree))) {
    const tab = line.indexOf('\t');
    const [tag, mode, id, stage] = line.toString('latin1', 0, tab).split(' ');
    const name = line.toString('latin1', tab + 1);
    if (stage !== '0') continue;
    entries.set(name, `${mode} ${id}`);
    if (tag === 'S') aside.push(name);
  }
  const looking = ['diff-files', '-z', '--name-only', '--ignore-submodules=all'];
  const changed = splitNul(await git.run('scan', looking, { ...inTree, isWhole: true }));
  const unchanged = new Set(entries.keys());
  for (const path of changed) unchanged.delete(path.toString('latin1'));
  // What the owner has put where a sparse checkout has nothing is there all the same.
  for (const name of aside) if (await isOnDisk(inTree.cwd, name)) unchanged.delete(name);
  return { entries, unchanged };
}

async function isOnDisk(dir: string, name: string): Promise<boolean> {
  return lstat(below(dir, Buffer.from(name, 'latin1'))).then(
    () => true,
    () => false,
  );
}

/**
 * Puts what the owner's index holds over what a base does: git turns a file into its form in the repository by what is there
 * already. What is unchanged is looked at by no call of git afterwards.
 */
export async function takeOwners(git: GitDir, inTree: InTree, { entries, unchanged }: OwnersFiles): Promise<void> {
  if (entries.size === 0) return;
  const lines = [...entries].map(([name, entry]) => Buffer.from(`${entry}\t${name}`, 'latin1'));
  const putting = ['update-index', '--add', '--replace', '-z', '--index-info'];
  await git.run('base', putting, { ...inTree, input: joinNul(lines) });
  const kept = [...unchanged].map((name) => Buffer.from(name, 'latin1'));
  await git.run('base', ['update-index', '--skip-worktree', '-z', '--stdin'], { ...inTree, input: joinNul(kept) });
}

/** Throws where a file would go through a program on its way into the repository: without it something else would be sent. */
export async function refuseFiltered(git: GitDir, inTree: InTree, paths: readonly Buffer[]): Promise<void> {
  const found = await findFiltered(git, 'scan', paths, { ...inTree, isCached: false });
  if (found === undefined) return;
  throw git.fail(
    'scan',
    `${found.path} has changed, and goes through the filter ${found.filter}, which is not run here`,
    [
      'where it has not, git has not looked since it was written: git status',
      'commit it first: what is committed is sent as it is committed',
    ],
  );
}
