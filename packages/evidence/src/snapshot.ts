import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { quote } from '@writ/core';
import { restoreForm } from './checked-out.ts';
import type { GitDir, InTree } from './git-dir.ts';
import { keptAside } from './kept-aside.ts';
import {
  keepAside,
  NO_OWNERS_FILES,
  type OwnersFiles,
  type OwnersTree,
  ownersFiles,
  refuseFiltered,
  refuseNested,
  takeOwners,
} from './owners-files.ts';
import { joinNul, splitNul, toRepoPath } from './raw-path.ts';
import { refusedNames } from './refused-names.ts';
import { entriesOf, gitlinksIn, type IndexEntries, takeGitlinks } from './submodules.ts';
import { below, folderOf, hasGitName, type WalkedTree, walkTree } from './tree-walk.ts';
import type { RepoPath } from './types.ts';
import { type TrackedThere, trackedThere } from './workspace-index.ts';

/** Files that are asked about at once. */
const AT_ONCE = 64;

export interface SnapshotRequest {
  /** Real, absolute path. */
  readonly workspaceDir: string;
  readonly platform: NodeJS.Platform;
  /** Tree that the work began with. */
  readonly baseTree: string;
  /**
   * `task`: whoever worked there is not believed; the index is in `.git`, which has to be a folder, and only its names are
   * read. An owner's own working tree: its index is believed: it says what is tracked, what git takes for unchanged by it is,
   * and `git` has the form that the owner's files have on the disk; a repository inside is refused.
   */
  readonly whose: 'task' | OwnersTree;
  readonly limits: { readonly maxEntries: number; readonly maxFileBytes: number; readonly maxTotalBytes: number };
}

/** The files of a workspace as git sees them. */
export interface Snapshot {
  readonly tree: string;
  /** Paths that are not in it because of their names, see `Changes`. */
  readonly refused: readonly RepoPath[];
}

/**
 * The tree of everything in a workspace that is tracked, by its base or by whoever worked there, or could be: committed,
 * staged, unstaged and untracked alike, ignored files only where they are tracked. The workspace's own git directory is
 * never git's; of it nothing is read but the names in its index, and the commits of submodules. Files of a repository inside count like any others: its
 * git directory is refused by name and never looked into.
 */
export async function snapshot(git: GitDir, request: SnapshotRequest): Promise<Snapshot> {
  const { workspaceDir, baseTree } = request;
  const index = { GIT_INDEX_FILE: join(git.dir, 'index') };
  const inTree = { env: { ...index, GIT_WORK_TREE: workspaceDir }, cwd: workspaceDir };
  if ((await realpath(workspaceDir)) !== workspaceDir) throw git.fail('scan', 'the workspace is a link or behind one');
  const { platform, limits } = request;
  const owner = ownerOf(request);
  const refuse = (why: string): Error => git.fail('scan', why);
  const walked = await walkTree(workspaceDir, { platform, maxEntries: limits.maxEntries, refuse });
  const reading = ['read-tree', '--index-output', join(git.dir, 'index'), baseTree];
  if (owner === undefined) await git.run('base', reading, { env: index });
  const inBase = await entriesOf(git, 'scan', index);
  const tracked = await trackedThere(git, workspaceDir, {
    ...{ platform, indexFile: owner?.indexFile, isRequired: inBase.count > 0 },
  });
  // INVARIANT: 1 an owner's index alone says what is tracked: what was taken out of it is a file like any other, or ignored.
  const based = owner === undefined ? inBase : (tracked ?? inBase);
  const owners = await ownersWords(git, request, tracked);
  await takeOwners(git, inTree, owners);
  const gitlinks = await gitlinksIn(git, workspaceDir, based.gitlinks, tracked?.gitlinks);
  const refused = await refusedNames(git, inTree, walked.gitNames);
  const seen = owner === undefined ? await showNested(git, index, walked.gitNames) : [];
  const listing = ['ls-files', '-z', '--others', '--exclude-standard'];
  const others = splitNul(await git.run('scan', listing, { ...inTree, isWhole: true }));
  if (owner !== undefined) refuseNested(git, others);
  const found = [...others, ...pathsOf(tracked)].filter((path) => !hasGitName(path));
  // INVARIANT: 10 what the base holds is looked at whatever its name: git has taken it.
  const wanted = distinct([...pathsOf(based), ...found], new Set([...gitlinks.kept, ...owners.unchanged]));
  const { there, gone } = await lookAt(git, request, walked, wanted);
  if (owner !== undefined) await refuseFiltered(git, inTree, there, owner.isDriven);
  const aside = await keptAside(git, baseTree, owner === undefined ? tracked?.aside : undefined, gone);
  await keepAside(git, inTree, aside);
  const deleted = gone.filter((path) => !aside.has(path.toString('latin1')));
  await take(git, inTree, there, deleted);
  await assertComplete(git, inTree, seen);
  await forget(git, inTree, [...seen, ...owners.later]);
  await takeGitlinks(git, index, gitlinks.changed, there);
  if (owner === undefined) await restoreForm(git, { workspaceDir, baseTree, index, based: inBase.files });
  // Every object is of the base, or was written just now; the bundle fails where one is not there.
  const tree = (await git.run('tree', ['write-tree', '--missing-ok'], { env: index })).toString('latin1').trim();
  return { tree, refused: refused.map(toRepoPath) };
}

function ownerOf({ whose }: SnapshotRequest): OwnersTree | undefined {
  return whose === 'task' ? undefined : whose;
}

async function ownersWords(
  git: GitDir,
  request: SnapshotRequest,
  tracked: TrackedThere | undefined,
): Promise<OwnersFiles> {
  const owner = ownerOf(request);
  if (owner === undefined || tracked === undefined) return NO_OWNERS_FILES;
  const env = { GIT_INDEX_FILE: tracked.copy, GIT_WORK_TREE: request.workspaceDir };
  return ownersFiles(git, { env, cwd: request.workspaceDir }, owner.isSparse);
}

function pathsOf(entries: IndexEntries | undefined): readonly Buffer[] {
  if (entries === undefined) return [];
  return [...entries.files, ...[...entries.gitlinks.keys()].map((name) => Buffer.from(name, 'latin1'))];
}

/** Each path once, and none of `without`. */
function distinct(paths: readonly Buffer[], without: ReadonlySet<string>): readonly Buffer[] {
  const byText = new Map(paths.map((path) => [path.toString('latin1'), path]));
  return [...byText].flatMap(([text, path]) => (without.has(text) ? [] : [path]));
}

/**
 * Git takes a folder with a `.git` in it for something that it must not look into, unless the index holds something below
 * it. So the index gets a file in each that is nowhere. Returns their paths; whoever worked there cannot guess them.
 */
async function showNested(git: GitDir, index: InTree['env'], gitNames: readonly Buffer[]): Promise<readonly Buffer[]> {
  const name = Buffer.from(`/${basename(dirname(git.dir))}`);
  const folders = new Map(gitNames.map((path) => [folderOf(path).toString('latin1'), folderOf(path)]));
  folders.delete('');
  const marks = [...folders.values()].map((folder) => Buffer.concat([folder, name]));
  if (marks.length === 0) return [];
  const id = await git.run('scan', ['hash-object', '-w', '--stdin'], { input: new Uint8Array() });
  const entry = Buffer.from(`100644 ${id.toString('latin1').trim()}\t`);
  const input = joinNul(marks.map((mark) => Buffer.concat([entry, mark])));
  await git.run('scan', ['update-index', '--add', '--replace', '-z', '--index-info'], { env: index, input });
  return marks;
}

/** Which are files or links, none of them behind a link, and which are not; what is too large is told before git reads it. */
async function lookAt(
  git: GitDir,
  { workspaceDir, limits }: SnapshotRequest,
  { folders }: WalkedTree,
  paths: readonly Buffer[],
): Promise<{ readonly there: readonly Buffer[]; readonly gone: readonly Buffer[] }> {
  const [there, gone] = [[] as Buffer[], [] as Buffer[]];
  let total = 0;
  const look = async (path: Buffer): Promise<void> => {
    const folder = folderOf(path);
    const isReached = folder.length === 0 || folders.has(folder.toString('latin1'));
    const stat = isReached ? await lstat(below(workspaceDir, path)).catch(() => undefined) : undefined;
    (stat?.isFile() || stat?.isSymbolicLink() ? there : gone).push(path);
    if (!stat?.isFile()) return;
    if (stat.size > limits.maxFileBytes) {
      throw git.fail('scan', `${quote(path.toString())} is larger than ${limits.maxFileBytes} bytes`);
    }
    total += stat.size;
    if (total > limits.maxTotalBytes) throw git.fail('scan', `the files are larger than ${limits.maxTotalBytes} bytes`);
  };
  for (let at = 0; at < paths.length; at += AT_ONCE) await Promise.all(paths.slice(at, at + AT_ONCE).map(look));
  return { there, gone };
}

/** Makes the index hold what is there, and not what is gone. */
async function take(git: GitDir, inTree: InTree, there: readonly Buffer[], gone: readonly Buffer[]): Promise<void> {
  await forget(git, inTree, gone);
  if (there.length === 0) return;
  const args = ['update-index', '--add', '--replace', '-z', '--stdin'];
  await git.run('add', args, { ...inTree, input: joinNul(there) });
}

async function forget(git: GitDir, inTree: InTree, paths: readonly Buffer[]): Promise<void> {
  if (paths.length === 0) return;
  await git.run('add', ['update-index', '--force-remove', '-z', '--stdin'], { ...inTree, input: joinNul(paths) });
}

/** A second look: nothing may be left that the index does not hold, but for what is nowhere. */
async function assertComplete(git: GitDir, inTree: InTree, nowhere: readonly Buffer[]): Promise<void> {
  const listing = ['ls-files', '-z', '--modified', '--deleted', '--others', '--exclude-standard'];
  const found = splitNul(await git.run('add', listing, { ...inTree, isWhole: true }));
  const known = new Set(nowhere.map((path) => path.toString('latin1')));
  const left = found.find((path) => !known.has(path.toString('latin1')) && !hasGitName(path));
  if (left === undefined) return;
  throw git.fail('add', `${quote(left.toString())} was not taken in`, [
    'where its name differs in case alone from one that git knows: git config core.ignoreCase false',
    'where it changes all the time: run it again when nothing writes there',
  ]);
}
