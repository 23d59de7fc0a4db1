import { constants } from 'node:fs';
import { lstat, open, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quote } from '@writ/core';
import { restoreForm } from './checked-out.ts';
import type { GitDir } from './git-dir.ts';
import { joinNul, splitNul } from './raw-path.ts';
import { below, walkTree } from './tree-walk.ts';

/** Longest index that is read, bytes. */
const INDEX_BYTES = 256 * 1024 * 1024;

export interface SnapshotRequest {
  /** Real, absolute path. */
  readonly workspaceDir: string;
  /** Tree that the work began with. */
  readonly baseTree: string;
  /** Where the workspace's own index is, known from elsewhere; absent: in its `.git`, which has to be a folder. */
  readonly indexFile?: string;
  readonly limits: { readonly maxEntries: number; readonly maxFileBytes: number; readonly maxTotalBytes: number };
}

/**
 * The tree of everything in a workspace that is tracked, by its base or by whoever worked there, or could be: committed,
 * staged, unstaged and untracked alike, ignored files only where they are tracked. The workspace's own git directory is
 * never git's; of it nothing is read but the names in its index.
 */
export async function snapshot(git: GitDir, request: SnapshotRequest): Promise<string> {
  const { workspaceDir, baseTree } = request;
  const index = { GIT_INDEX_FILE: join(git.dir, 'index') };
  const inTree = { env: { ...index, GIT_WORK_TREE: workspaceDir }, cwd: workspaceDir };
  if ((await realpath(workspaceDir)) !== workspaceDir) throw git.fail('scan', 'the workspace is a link or behind one');
  const walked = await walkTree(workspaceDir, request.limits.maxEntries, (why) => git.fail('scan', why));
  await git.run('base', ['read-tree', '--index-output', join(git.dir, 'index'), baseTree], { env: index });
  const added = await trackedThere(git, workspaceDir, request.indexFile);
  const based = splitNul(await git.run('scan', ['ls-files', '-z', '--cached'], { env: index }));
  await refuseNested(git, inTree, walked.nested, [...based, ...added]);
  await refuseFilledSubmodules(git, workspaceDir, index);
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const found = splitNul(await git.run('scan', listing, inTree));
  const known = new Set(found.map((path) => path.toString('latin1')));
  const forced = await present(
    workspaceDir,
    added.filter((path) => !known.has(path.toString('latin1'))),
  );
  await measure(git, request, [...found, ...forced]);
  await git.run('add', ['add', '--all', '--no-warn-embedded-repo', '--', '.'], inTree);
  if (forced.length > 0) {
    await git.run('add', ['update-index', '--add', '--remove', '-z', '--stdin'], { ...inTree, input: joinNul(forced) });
  }
  await assertComplete(git, inTree);
  await restoreForm(git, workspaceDir, baseTree, index);
  return (await git.run('tree', ['write-tree'], { env: index })).toString('latin1').trim();
}

/** A second look: nothing may be left that the index does not hold. */
async function assertComplete(
  git: GitDir,
  inTree: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
): Promise<void> {
  const listing = ['ls-files', '-z', '--modified', '--deleted', '--others', '--exclude-standard'];
  const left = splitNul(await git.run('add', listing, inTree));
  if (left.length > 0) throw git.fail('add', `${quote(left[0]?.toString() ?? '')} was not taken in`);
}

/** The paths in the workspace's own index: what was added there by force counts, although it is ignored. */
async function trackedThere(git: GitDir, workspaceDir: string, indexFile: string | undefined): Promise<Buffer[]> {
  const own = join(workspaceDir, '.git');
  if (indexFile === undefined) {
    const kind = await lstat(own).catch(() => undefined);
    if (kind === undefined) return [];
    if (!kind.isDirectory()) throw git.fail('index', 'the `.git` of the workspace is no folder: it leads elsewhere');
  }
  const copy = join(git.dir, 'workspace-index');
  try {
    await copyIndex(git, indexFile ?? join(own, 'index'), copy);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return [];
    if (code === 'ELOOP') throw git.fail('index', 'the index of the workspace is a link');
    throw error;
  }
  return splitNul(
    await git.run('index', ['ls-files', '-z', '--cached', '--sparse'], { env: { GIT_INDEX_FILE: copy } }),
  );
}

async function copyIndex(git: GitDir, from: string, to: string): Promise<void> {
  const file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > INDEX_BYTES) throw git.fail('index', 'the index of the workspace is none');
    await writeFile(to, file.createReadStream({ autoClose: false }), { mode: 0o600 });
  } finally {
    await file.close();
  }
}

/** A repository inside the workspace would hide its files behind a commit id: it is refused by its name, unless all of it is ignored. */
async function refuseNested(
  git: GitDir,
  inTree: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
  nested: readonly Buffer[],
  tracked: readonly Buffer[],
): Promise<void> {
  if (nested.length === 0) return;
  const refuse = (folder: Buffer): Error =>
    git.fail('scan', `there is another repository in ${quote(folder.toString() || '.')}, and none is followed`);
  const names = new Set(nested.map((folder) => folder.toString('latin1')));
  for (const folder of nested) if (folder.length === 0) throw refuse(folder);
  for (const path of tracked) {
    const text = path.toString('latin1');
    for (let to = text.indexOf('/'); to !== -1; to = text.indexOf('/', to + 1)) {
      if (names.has(text.slice(0, to))) throw refuse(Buffer.from(text.slice(0, to), 'latin1'));
    }
  }
  const args = ['check-ignore', '-z', '--stdin', '--no-index'];
  // This command takes paths one way only; with `./` before it no path is anything but a path.
  const asked = joinNul(nested.map((folder) => Buffer.concat([Buffer.from('./'), folder, Buffer.from('/')])));
  const env = { ...inTree.env, GIT_LITERAL_PATHSPECS: '0' };
  const answer = await git.ask('scan', [0, 1], args, { ...inTree, env, input: asked });
  const ignored = new Set(splitNul(answer.stdout).map((path) => path.toString('latin1').slice(2, -1)));
  for (const folder of nested) if (!ignored.has(folder.toString('latin1'))) throw refuse(folder);
}

/** Files below the place of a submodule belong to no commit of this repository; nobody would see them. */
async function refuseFilledSubmodules(
  git: GitDir,
  workspaceDir: string,
  index: Readonly<Record<string, string>>,
): Promise<void> {
  const staged = splitNul(await git.run('scan', ['ls-files', '-z', '--stage'], { env: index }));
  for (const entry of staged) {
    if (!entry.subarray(0, 7).equals(Buffer.from('160000 '))) continue;
    const path = entry.subarray(entry.indexOf('\t') + 1);
    const filled = await walkTree(below(workspaceDir, path).toString(), 0, (why) => new Error(why)).then(
      () => false,
      () =>
        lstat(below(workspaceDir, path)).then(
          (stat) => stat.isDirectory(),
          () => false,
        ),
    );
    if (filled)
      throw git.fail('scan', `there are files in the submodule ${quote(path.toString())}, and none is followed`);
  }
}

/** Those that are files or links, none of them behind a link. */
async function present(workspaceDir: string, paths: readonly Buffer[]): Promise<Buffer[]> {
  const there: Buffer[] = [];
  for (const path of paths) {
    const stat = await lstat(below(workspaceDir, path)).catch(() => undefined);
    if (stat?.isFile() || stat?.isSymbolicLink()) there.push(path);
  }
  return there;
}

/** Before git reads any content. */
async function measure(
  git: GitDir,
  { workspaceDir, limits }: SnapshotRequest,
  paths: readonly Buffer[],
): Promise<void> {
  let total = 0;
  for (const path of new Set(paths)) {
    const stat = await lstat(below(workspaceDir, path)).catch(() => undefined);
    if (!stat?.isFile()) continue;
    if (stat.size > limits.maxFileBytes) {
      throw git.fail('scan', `${quote(path.toString())} is larger than ${limits.maxFileBytes} bytes`);
    }
    total += stat.size;
    if (total > limits.maxTotalBytes) throw git.fail('scan', `the files are larger than ${limits.maxTotalBytes} bytes`);
  }
}
