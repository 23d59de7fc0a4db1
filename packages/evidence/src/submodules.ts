import { lstat, readdir } from 'node:fs/promises';
import { quote, shellWord, type WritError } from '@writ/core';
import type { GitDir } from './git-dir.ts';
import { joinNul, splitNul } from './raw-path.ts';
import { below, folderOf } from './tree-walk.ts';
import type { GitStep } from './types.ts';

/** The mode of a commit of another repository. */
export const GITLINK = '160000';
/** The mode of a folder, in a tree or in an index that leaves out what is in it. */
export const FOLDER = '040000';

/** What an index holds. */
export interface IndexEntries {
  /** Paths of files and links. */
  readonly files: readonly Buffer[];
  /** Ids of commits of other repositories, by path (`latin1`). */
  readonly gitlinks: ReadonlyMap<string, string>;
  /** Mode and id of what git is told to pass over on the disk (a sparse checkout, `--skip-worktree`), by path (`latin1`); also of whole folders. */
  readonly aside: ReadonlyMap<string, string>;
  /** How many lines there were, those of a conflict each counted. */
  readonly count: number;
}

/**
 * Throws where two sides of a merge want different commits of a submodule: nobody has decided which it is. `how`: options of
 * git, mostly none.
 */
export async function entriesOf(
  git: GitDir,
  step: GitStep,
  index: Readonly<Record<string, string>>,
  how: readonly string[] = [],
): Promise<IndexEntries> {
  const [files, gitlinks, aside] = [[] as Buffer[], new Map<string, string>(), new Map<string, string>()];
  const entries = splitNul(
    await git.run(step, [...how, 'ls-files', '-z', '-v', '--stage', '--sparse'], { env: index }),
  );
  for (const entry of entries) {
    const tab = entry.indexOf('\t');
    const path = entry.subarray(tab + 1);
    const [tag, mode = '', id = '', stage] = entry.toString('latin1', 0, tab).split(' ');
    const name = path.toString('latin1');
    if (mode === FOLDER || (tag?.toUpperCase() === 'S' && stage === '0'))
      aside.set(name.replace(/\/$/, ''), `${mode} ${id}`);
    if (mode === FOLDER) continue;
    if (mode !== GITLINK) files.push(path);
    else if (stage === '0') gitlinks.set(name, id);
    else throw git.fail(step, `the submodule ${quote(path.toString())} is in a conflict that nobody has resolved`);
  }
  return { files, gitlinks, aside, count: entries.length };
}

/** What became of the commits of other repositories. Paths as `latin1`. */
export interface Gitlinks {
  /** As the base holds them: nothing has changed there. */
  readonly kept: ReadonlySet<string>;
  /** Ids where the index of whoever worked there names another commit than the base, or one where that has none. */
  readonly changed: ReadonlyMap<string, string>;
}

/**
 * A commit of another repository has no file in a workspace, so that the index there says which it is; without one
 * (`there` undefined) it is the base's where its folder is still there. Throws where there are files in the place of one of
 * the base: they belong to no commit of this repository, and nobody would see them.
 */
export async function gitlinksIn(
  git: GitDir,
  workspaceDir: string,
  based: IndexEntries['gitlinks'],
  there: IndexEntries['gitlinks'] | undefined,
): Promise<Gitlinks> {
  const kept = new Set<string>();
  for (const [name, id] of based) {
    const path = Buffer.from(name, 'latin1');
    const place = below(workspaceDir, path);
    if (!(await lstat(place).catch(() => undefined))?.isDirectory()) continue;
    const isFilled = await readdir(place).then((names) => names.length > 0);
    if (isFilled) throw filled(git, path.toString());
    if (there === undefined || there.get(name) === id) kept.add(name);
  }
  return { kept, changed: new Map([...(there ?? [])].filter(([name, id]) => based.get(name) !== id)) };
}

/**
 * Puts what has changed into the node's index, but where there are files in its place, or in the place of a folder above it:
 * those are taken in. Throws where the index does not hold it afterwards.
 */
export async function takeGitlinks(
  git: GitDir,
  index: Readonly<Record<string, string>>,
  changed: Gitlinks['changed'],
  files: readonly Buffer[],
): Promise<void> {
  if (changed.size === 0) return;
  const names = new Set(files.map((path) => path.toString('latin1')));
  const folders = new Set(files.flatMap(foldersAbove));
  const taken = [...changed].filter(
    ([name]) =>
      !names.has(name) &&
      !folders.has(name) &&
      !foldersAbove(Buffer.from(name, 'latin1')).some((above) => names.has(above)),
  );
  const lines = taken.map(([name, id]) => Buffer.from(`${GITLINK} ${id}\t${name}`, 'latin1'));
  await git.run('add', ['update-index', '-z', '--index-info'], { env: index, input: joinNul(lines) });
  const { gitlinks } = await entriesOf(git, 'add', index);
  const left = taken.find(([name, id]) => gitlinks.get(name) !== id);
  if (left === undefined) return;
  // INVARIANT: 10 a commit that was put in the place of another one is told, or nothing is claimed.
  throw git.fail('add', `the submodule ${quote(Buffer.from(left[0], 'latin1').toString())} was not taken in`);
}

/** Every folder that something is in, but for the root. */
export function foldersAbove(path: Buffer): readonly string[] {
  const above: string[] = [];
  for (let folder = folderOf(path); folder.length > 0; folder = folderOf(folder)) above.push(folder.toString('latin1'));
  return above;
}

function filled(git: GitDir, path: string): WritError {
  return git.fail('scan', `there are files in the submodule ${quote(path)}, and none is followed`, [
    `once what is in it is kept elsewhere, empty it: git submodule deinit -- ${shellWord(path)}`,
    'or leave it as it is, and use a worktree, where it is empty: git worktree add DIR',
  ]);
}
