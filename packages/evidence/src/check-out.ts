import { lstat, open, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, quote, WritError } from '@writ/core';
import { treeOf } from './collect.ts';
import { borrowWords, DISK_FORM, formOf } from './disk-form.ts';
import { findFiltered } from './filtered.ts';
import type { GitDir, RunOptions } from './git-dir.ts';
import { type OwnerRepository, workTreeOf } from './owner-repository.ts';
import { isDriven, type OwnersWords, settingsWith } from './owners-words.ts';
import { splitNul } from './raw-path.ts';
import { headOf } from './repository-place.ts';
import { SPARSE, SPARSE_FORM } from './repository-settings.ts';
import { ATTRIBUTES_BELOW, borrowAttributes } from './words-files.ts';

/** What an owner may say about the form of files, and which of them are checked out. */
const FORM = [...DISK_FORM, 'core.safecrlf', ...SPARSE, ...SPARSE_FORM];
/** What git keeps while something is half done. */
const HALF_DONE = [
  ...['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG', 'rebase-merge', 'rebase-apply'],
  // Of several commits that are picked, between two of them.
  'sequencer',
];

/** A working tree that may be switched. */
export interface WorkingTree {
  readonly branch: string;
  readonly how: RunOptions;
  readonly form: readonly string[];
}

/**
 * Looks whether the working tree can be switched to `branch` by git without the owner's settings, but for those about the
 * form of files: `words` are what holds there. Throws CONFLICT where it has changes of its own, something is half done, or the
 * owner's settings cannot be read; GIT_FAILED where the repository names a file of attributes that is not known.
 */
export async function requireSwitchable(
  owner: OwnerRepository,
  branch: string,
  words: OwnersWords | undefined,
): Promise<WorkingTree> {
  const { place, settings } = owner;
  const inTheWay = (why: string, ...nextSteps: string[]): WritError => notSwitchable(owner, why, nextSteps);
  const workTree = await workTreeOf(owner);
  if (workTree === undefined) throw inTheWay('has no working tree');
  if (words?.unread !== undefined) {
    const why = `cannot be switched: what you have told git cannot be read: ${words.unread}`;
    throw inTheWay(why, 'see what git says there: git config --list');
  }
  for (const name of HALF_DONE) {
    if (await isThere(join(place.gitDir, name))) throw inTheWay(`is in the middle of something (${name})`);
  }
  await requireUnlocked(owner, branch);
  if ((await headsElsewhere(owner)).includes(`ref: refs/heads/${branch}`)) {
    throw inTheWay(`has branch ${branch} checked out in another working tree`);
  }
  for (const name of ['index', 'logs/HEAD']) {
    const found = await lstat(join(place.gitDir, name)).catch(() => undefined);
    if (found !== undefined && !found.isFile()) throw inTheWay(`has something else in the place of its ${name}`);
  }
  const env = { GIT_WORK_TREE: workTree, GIT_INDEX_FILE: join(place.gitDir, 'index') };
  const form = [...formOf(settingsWith(words, settings), FORM), ...ATTRIBUTES_BELOW];
  const tree = { branch, form, how: { env, cwd: workTree } };
  // What the repository's own files say about the form of what is checked out; no tree's word is over it.
  await borrowWords(owner.git, place.commonDir, 'attributes');
  await borrowAttributes(owner, owner.git, words);
  await borrowWords(owner.git, place.gitDir, 'sparse-checkout');
  // Submodules are not looked into: git would read their settings.
  const look = ['status', '--porcelain', '-z', '--untracked-files=no', '--ignore-submodules=dirty'];
  const { stdout } = await owner.git.ask('inspect', [0], [...form, ...look], inTree(owner, tree.how));
  const changed = splitNul(stdout).map((line) => line.subarray(STATUS_LENGTH));
  if (changed.length === 0) return tree;
  const where = { ...inTree(owner, tree.how), isCached: false, options: ATTRIBUTES_BELOW };
  const found = await findFiltered(owner.git, 'inspect', changed, where);
  if (found === undefined) {
    throw inTheWay('has changes of its own in its working tree', 'commit or set aside what is there');
  }
  const why = `has changes of its own in its working tree, or git has not looked since ${found.path} was written`;
  throw inTheWay(`${why}: it goes through the filter ${found.filter}`, 'have git look: git status, then run it again');
}

/** What is locked while index, files and HEAD are switched. */
const LOCKS = ['HEAD.lock', 'index.lock'];

/**
 * Throws CONFLICT where a lock lies in the way: of another git, or of one, or of a node, that was killed within a checkout, here of `branch`.
 * Its files lie there in part, and stand in the way of another try; they are none of the owner's, for it would not have begun over them.
 */
async function requireUnlocked(owner: OwnerRepository, branch: string): Promise<void> {
  const all = LOCKS.map((name) => join(owner.place.gitDir, name));
  const locks: string[] = [];
  for (const lock of all) if (await isThere(lock)) locks.push(lock);
  if (locks.length === 0) return;
  const named = locks.map(quote).join(', ');
  const steps = [`when that git is done, run it again; where none works there it was cut off: remove ${named}`];
  if ((await owner.commitOf(`refs/heads/${branch}`)) !== undefined) {
    steps.push(
      `then, where it was a checkout of ${branch}: git switch --force ${branch} finishes it (what was changed there since is lost), and git switch - leads back`,
    );
  }
  throw notSwitchable(owner, `has another git at work, or one that was cut off (${named})`, steps);
}

/** Before the path in a line of `git status --porcelain`. */
const STATUS_LENGTH = 3;

function inTree({ place }: OwnerRepository, how: RunOptions): RunOptions {
  return { ...how, env: { GIT_OBJECT_DIRECTORY: place.objects, ...how.env } };
}

function notSwitchable({ dir }: OwnerRepository, why: string, nextSteps: readonly string[]): WritError {
  return new WritError('CONFLICT', `${quote(dir)} ${why}`, {
    nextSteps: [...nextSteps, 'apply without the working tree: the branch is made all the same'],
  });
}

/**
 * Throws CONFLICT where a file that would be written goes, or may go, through a program, whoever has configured it: without it
 * other bytes would lie there than the owner's git writes. `git` has the objects of both; what the tree that is switched to says
 * about its files counts, and what the owner's own files say, as when git writes them.
 */
// INVARIANT: 1 no program that a repository names is run by whoever applies something to it.
export async function requireUnfiltered(
  owner: OwnerRepository,
  git: GitDir,
  { head, branch, words }: { readonly head: string; readonly branch: string; readonly words: OwnersWords | undefined },
): Promise<void> {
  const there = (await owner.commitOf('HEAD')) ?? null;
  const trees = [await treeOf(git, there), await treeOf(git, head)];
  const comparing = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=d', ...trees];
  const written = splitNul(await git.run('inspect', comparing));
  const index = { GIT_INDEX_FILE: join(git.dir, 'switched-index') };
  await git.run('inspect', ['read-tree', head], { env: index });
  await borrowWords(git, owner.place.commonDir, 'attributes');
  await borrowAttributes(owner, git, words);
  const isRun = (filter: string): boolean | undefined => isDriven(words, owner.settings, filter, 'smudge');
  const where = { env: index, isCached: true, options: ATTRIBUTES_BELOW, isDriven: isRun };
  const found = await findFiltered(git, 'inspect', written, where);
  if (found === undefined) return;
  const through = `puts ${found.path} through a program (filter ${found.filter})`;
  const why = isRun(found.name)
    ? `${through}, which is not run here`
    : `${through} where that is configured, which cannot be known: not all that is set for git can be read here`;
  throw notSwitchable(owner, why, [`afterwards, by hand: git switch --no-overwrite-ignore ${branch}`]);
}

/** Files that git ignores are the owner's as well: `.env` is one. What stands in the way stays, and the branch is there. */
export async function switchTo(owner: OwnerRepository, { branch, form, how }: WorkingTree): Promise<void> {
  const { place, git } = owner;
  const lock = join(place.gitDir, 'HEAD.lock');
  // As git does it: whoever else would move HEAD meanwhile waits or is refused.
  const held = await open(lock, 'wx').catch((error: unknown) => {
    const isOther = hasErrno(error, 'EEXIST');
    if (isOther) throw notSwitched(branch, `another git works there: ${quote(lock)} exists`, WHEN_IT_IS_DONE, error);
    throw error;
  });
  let isOurs = true;
  try {
    if ((await headOf(place.gitDir)) !== place.head) throw notSwitched(branch, 'HEAD has moved meanwhile', LOOK_AGAIN);
    await keepLog(owner);
    const env = { ...how.env, GIT_COMMITTER_NAME: 'Writ', GIT_COMMITTER_EMAIL: 'apply@writ.invalid' };
    const switching = ['switch', '--quiet', '--no-guess', '--no-overwrite-ignore', branch];
    const args = [...form, '-c', 'core.logAllRefUpdates=true', ...switching];
    await owner.ask('checkout', [0], args, { ...how, env }).catch((cause: unknown) => {
      throw notSwitched(branch, 'files that git does not track, or ignores, may stand in the way', MOVE_THEM, cause);
    });
    try {
      const head = await headOf(git.dir);
      if (head === undefined) throw new Error('the HEAD that git has written cannot be read');
      await held.writeFile(head);
      // For whom git has made its own.
      await held.chmod((await stat(join(git.dir, 'HEAD'))).mode & 0o777);
      await held.sync();
      await rename(lock, join(place.gitDir, 'HEAD'));
      // From here on one of that name is another git's.
      isOurs = false;
    } catch (cause) {
      throw headStays(branch, cause);
    }
  } finally {
    if (isOurs) await rm(lock, { force: true });
    await held.close();
  }
}

/** Index and files are switched by then. */
function headStays(branch: string, cause: unknown): WritError {
  const why = `index and files are those of branch ${branch}, and HEAD could not be moved to it`;
  return new WritError('CONFLICT', why, {
    cause,
    details: { branch },
    nextSteps: [`git symbolic-ref HEAD refs/heads/${branch} moves it`, 'or back to what was there: git reset --hard'],
  });
}

const MOVE_THEM = (switching: string): string => `${switching} names them; move them, then run it again`;
const LOOK_AGAIN = (switching: string): string =>
  `look at what is checked out: git status; ${switching} switches to it`;
const WHEN_IT_IS_DONE = (switching: string): string =>
  `when that git is done, run it again, or: ${switching}; where none works there it was cut off: remove the file`;

function notSwitched(branch: string, why: string, next: (switching: string) => string, cause?: unknown): WritError {
  return new WritError('CONFLICT', `branch ${branch} is made, and not checked out: ${why}`, {
    cause,
    details: { branch },
    nextSteps: [next(`git switch --no-overwrite-ignore ${branch}`)],
  });
}

/** Where HEAD was is the owner's to find again. */
async function keepLog({ place, git }: OwnerRepository): Promise<void> {
  const logs = join(place.gitDir, 'logs');
  const found = await lstat(logs).catch(() => undefined);
  if (found?.isDirectory()) await symlink(logs, join(git.dir, 'logs'));
}

/** What is checked out in the other working trees of the same repository. */
async function headsElsewhere({ place }: OwnerRepository): Promise<readonly string[]> {
  const linked = join(place.commonDir, 'worktrees');
  const names = await readdir(linked).catch(() => []);
  const others = [place.commonDir, ...names.map((name) => join(linked, name))].filter((dir) => dir !== place.gitDir);
  return (await Promise.all(others.map(headOf))).map((head) => head?.trim() ?? '');
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
