import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { hasErrno, quote } from '@writ/core';
import { findFiltered } from './filtered.ts';
import type { GitDir, InTree } from './git-dir.ts';
import { joinNul, splitNul } from './raw-path.ts';
import { GITLINK } from './submodules.ts';
import { below } from './tree-walk.ts';

/** How an owner's git looks at the owner's working tree. */
export interface OwnersTree {
  readonly indexFile: string;
  /** Whether it looks for files in the places that a sparse checkout leaves empty. */
  readonly isSparse: boolean;
  /** Whether it runs something for a filter that attributes name; undefined where that cannot be known. */
  readonly isDriven: (filter: string) => boolean | undefined;
}

/** Files of an owner that are as the owner's index says, by path (`latin1`). */
export interface OwnersFiles {
  /** What the index holds, of a conflict the owner's own side: mode and id. */
  readonly entries: ReadonlyMap<string, string>;
  /** Those that the owner's git takes for unchanged; those that it keeps off the disk (a sparse checkout) among them. */
  readonly unchanged: ReadonlySet<string>;
  /** Those of them that stand for a file which is to be added later (`add -N`): no tree of the owner's has them. */
  readonly later: readonly Buffer[];
}

/** Where nothing is known from an owner. */
export const NO_OWNERS_FILES: OwnersFiles = { entries: new Map(), unchanged: new Set(), later: [] };

/** Ends a path that git does not look behind. */
const SLASH = 0x2f;

/**
 * Asks git what it would say to the owner. `inTree` names the owner's index, or a copy that is no younger. `isSparse`: the
 * owner's git looks for files in the places that a sparse checkout leaves empty. Without that it looks at none of those that
 * the owner has told it not to (`--skip-worktree`): what is in them is the owner's own, a password of this machine perhaps.
 */
// INVARIANT: 1 what the owner's git would never take leaves this machine by no other way.
export async function ownersFiles(git: GitDir, inTree: InTree, isSparse: boolean): Promise<OwnersFiles> {
  const entries = new Map<string, string>();
  const [aside, gitlinks] = [[] as string[], [] as string[]];
  for (const line of splitNul(await git.run('index', ['ls-files', '-z', '-v', '--stage'], inTree))) {
    const tab = line.indexOf('\t');
    const [tag, mode, id, stage] = line.toString('latin1', 0, tab).split(' ');
    const name = line.toString('latin1', tab + 1);
    // Of a conflict the owner's own side says what form the file has in the repository; git calls it changed.
    if (stage !== '0' && stage !== '2') continue;
    entries.set(name, `${mode} ${id}`);
    // A small letter: the owner has said that it is unchanged, and git believes that before everything else.
    if (tag === 'S' && isSparse) aside.push(name);
    if (tag === 'H' && mode === GITLINK) gitlinks.push(name);
  }
  const looking = ['diff-files', '-z', '--name-only', '--ignore-submodules=all'];
  const changed = splitNul(await git.run('scan', looking, { ...inTree, isWhole: true }));
  const unchanged = new Set(entries.keys());
  for (const path of changed) unchanged.delete(path.toString('latin1'));
  for (const name of aside) if (await lookFor(git, inTree.cwd, name)) unchanged.delete(name);
  // The look above names none of them. Where its folder is gone, or is something else, the owner has changed that.
  for (const name of gitlinks) {
    if (!(await lookFor(git, inTree.cwd, name))?.isDirectory()) unchanged.delete(name);
  }
  return { entries, unchanged, later: await findLater(git, inTree, entries, unchanged) };
}

/** An index has such an entry as an empty file; git tells them apart where it compares with a tree. */
async function findLater(
  git: GitDir,
  inTree: InTree,
  entries: OwnersFiles['entries'],
  unchanged: ReadonlySet<string>,
): Promise<OwnersFiles['later']> {
  const idOf = async (...what: readonly string[]): Promise<string> =>
    (await git.run('index', ['hash-object', ...what, '--stdin'], { input: new Uint8Array() })).toString().trim();
  const [nothing, emptyTree] = [await idOf(), await idOf('-t', 'tree')];
  const empty = [...unchanged].filter((name) => entries.get(name)?.endsWith(` ${nothing}`));
  if (empty.length === 0) return [];
  const comparing = ['diff-index', '--cached', '-z', '--name-only', '--ita-invisible-in-index', emptyTree];
  const added = splitNul(await git.run('index', comparing, inTree)).map((path) => path.toString('latin1'));
  const isAdded = new Set(added);
  return empty.filter((name) => !isAdded.has(name)).map((name) => Buffer.from(name, 'latin1'));
}

/** What is on the disk; undefined where nothing is. Throws where that cannot be seen: it would be taken for unchanged. */
async function lookFor(git: GitDir, dir: string, name: string): Promise<Stats | undefined> {
  const path = Buffer.from(name, 'latin1');
  try {
    return await lstat(below(dir, path));
  } catch (error) {
    if (hasErrno(error, 'ENOENT') || hasErrno(error, 'ENOTDIR')) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    throw git.fail('scan', `whether ${quote(path.toString())} is there cannot be seen: ${quote(why)}`);
  }
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
  await keepAside(git, inTree, unchanged);
}

/** Has git look at none of these (paths as `latin1`), which the index holds, on the disk. */
export async function keepAside(git: GitDir, inTree: InTree, names: ReadonlySet<string>): Promise<void> {
  if (names.size === 0) return;
  const input = joinNul([...names].map((name) => Buffer.from(name, 'latin1')));
  await git.run('base', ['update-index', '--skip-worktree', '-z', '--stdin'], { ...inTree, input });
}

/**
 * Throws where something untracked is a repository of its own, or a working tree that belongs to one. Git would commit which
 * commit it is at, and none of its files; what it was told there to leave alone is not known here.
 */
export function refuseNested(git: GitDir, untracked: readonly Buffer[]): void {
  const nested = untracked.find((path) => path.at(-1) === SLASH);
  if (nested === undefined) return;
  const path = nested.toString();
  throw git.fail('scan', `${quote(path)} is a repository of its own, or a worktree, and none is followed`, [
    `leave it at home: put ${quote(`/${path}`)} into .git/info/exclude, or into .gitignore`,
    'or ship from a clone or worktree that has none inside',
  ]);
}

/** Throws where a file goes, or may go, through a program of its owner's on its way into the repository: without it something else would be sent. */
export async function refuseFiltered(
  git: GitDir,
  inTree: InTree,
  paths: readonly Buffer[],
  isDriven: OwnersTree['isDriven'],
): Promise<void> {
  const found = await findFiltered(git, 'scan', paths, { ...inTree, isCached: false, isDriven });
  if (found === undefined) return;
  const through = `${found.path} has changed, and goes through the filter ${found.filter}`;
  const why = isDriven(found.name)
    ? `${through}, which is not run here`
    : `${through} where that is configured, which cannot be known: not all that you have set for git can be read here`;
  throw git.fail('scan', why, [
    'where it has not, git has not looked since it was written: git status',
    'commit it first: what is committed is sent as it is committed',
  ]);
}
