import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasErrno } from '@writ/core';
import { openBeneath } from './beneath.ts';
import type { GitDir } from './git-dir.ts';
import { namesThatCannotBe } from './index-names.ts';
import { entriesOf, type IndexEntries } from './submodules.ts';

/** Longest index that is read, bytes. */
const INDEX_BYTES = 256 * 1024 * 1024;
/** Where an index says how many entries it has. */
const COUNT_AT = 8;
/** Bytes of the digests that git knows. */
const DIGESTS = [20, 32];
/** Before the digest of the extension that names another file: four letters and a length. */
const LINK_HEADER = 8;
/** Places that are taken for that extension, from the end on. */
const MOST_LINKS = 64;

/** What an index of a workspace holds. */
export interface TrackedThere extends IndexEntries {
  /** A whole one that says the same, in the node's git directory; no younger, so that git sees what may have changed since. */
  readonly copy: string;
}

/**
 * What the workspace's own index holds: what was added there by force counts, although it is ignored. Undefined where there
 * is none. Throws where there has to be one (`isRequired`), in a git directory that is still there: what was committed by
 * force, or in the place of a submodule, would be seen by nobody.
 */
export async function trackedThere(
  git: GitDir,
  workspaceDir: string,
  how: { readonly platform: NodeJS.Platform; readonly indexFile: string | undefined; readonly isRequired: boolean },
): Promise<TrackedThere | undefined> {
  const { platform, indexFile, isRequired } = how;
  const own = join(workspaceDir, '.git');
  if (indexFile === undefined) {
    const kind = await lstat(own).catch(() => undefined);
    if (kind === undefined) return undefined;
    if (!kind.isDirectory()) throw git.fail('index', 'the `.git` of the workspace is no folder: it leads elsewhere');
  }
  const copy = join(git.dir, 'workspace-index');
  // In a worktree of the owner's the index has a path of its own, and nobody but the owner changes what is beside it.
  const openBeside = (name: string): Promise<FileHandle> =>
    indexFile === undefined ? openBeneath(platform)(workspaceDir, ['.git', name]) : openIndex(dirname(indexFile), name);
  try {
    await copyIndex(git, await openBeside(indexFile === undefined ? 'index' : basename(indexFile)), copy);
  } catch (error) {
    if (['ELOOP', 'ENOTDIR'].some((code) => hasErrno(error, code)))
      throw git.fail('index', 'the index of the workspace is a link or behind one');
    if (!hasErrno(error, 'ENOENT')) throw error;
    if (isRequired && indexFile === undefined) throw git.fail('index', 'the index of the workspace is gone');
    return undefined;
  }
  await requirePossible(git, copy);
  const index = { GIT_INDEX_FILE: copy };
  const listed = (): Promise<IndexEntries> => entriesOf(git, 'index', index);
  const entries = await listed().catch(async (error: unknown) => {
    if (!(await takeShared(git, await readFile(copy), openBeside))) throw error;
    await writeAgain(git, copy, '--no-split-index');
    return listed();
  });
  const count = await countIn(copy);
  if (count === entries.count) return { ...entries, copy };
  const isUnfolded = count !== undefined && count < entries.count;
  const listedAgain = indexFile === undefined ? listFolded : listUnfolded;
  const whole = isUnfolded ? await listedAgain(git, copy) : entries;
  // INVARIANT: 10 what git leaves out of its list would be seen by nobody.
  if ((await countIn(copy)) !== whole.count) {
    throw git.fail('index', 'git did not list the whole index of the workspace');
  }
  return { ...whole, copy };
}

/** An owner's sparse index names folders that are not on the disk; written again it names their files. */
async function listUnfolded(git: GitDir, copy: string): Promise<IndexEntries> {
  await writeAgain(git, copy, '--force-write-index');
  return entriesOf(git, 'index', { GIT_INDEX_FILE: copy });
}

/** A sparse index of a task's is listed as it is: what is in its folders is not for that index to say, and could be more than there is room for. */
async function listFolded(git: GitDir, copy: string): Promise<IndexEntries> {
  // Without patterns git would unfold it: of the whole tree, what lies on top.
  await writeFile(join(git.dir, 'info', 'sparse-checkout'), '/*\n!/*/\n', { mode: 0o600 });
  const folded = ['core.sparseCheckout=true', 'core.sparseCheckoutCone=true', 'index.sparse=true'];
  return entriesOf(
    git,
    'index',
    { GIT_INDEX_FILE: copy },
    folded.flatMap((setting) => ['-c', setting]),
  );
}

/** In another form and as old as it was: here git does not see the files, and could not tell which are as young as their index. */
async function writeAgain(git: GitDir, copy: string, how: string): Promise<void> {
  const { atime, mtime } = await stat(copy);
  await git.run('index', ['update-index', how], { env: { GIT_INDEX_FILE: copy } });
  await utimes(copy, atime, mtime);
}

/** How many entries an index says that it has. */
async function countIn(file: string): Promise<number | undefined> {
  const count = (await readFile(file)).subarray(COUNT_AT, COUNT_AT + 4);
  return count.length < 4 ? undefined : count.readUInt32BE();
}

/**
 * Puts the file that holds most of a split index where git looks for it, by the digest that it is called by; git checks
 * that. False where the index is not split, or that file is not there.
 */
async function takeShared(
  git: GitDir,
  index: Buffer,
  openBeside: (name: string) => Promise<FileHandle>,
): Promise<boolean> {
  let at = index.length;
  // Other extensions hold names of folders, and one may be called like this.
  for (let tries = 0; tries < MOST_LINKS && at > 0; tries++) {
    at = index.lastIndexOf('link', at - 1);
    if (at < 0) return false;
    for (const length of DIGESTS) {
      const digest = index.subarray(at + LINK_HEADER, at + LINK_HEADER + length);
      const name = `sharedindex.${digest.toString('hex')}`;
      const file = await openBeside(name).catch(() => undefined);
      if (file === undefined) continue;
      await copyIndex(git, file, join(git.dir, name));
      await requirePossible(git, join(git.dir, name));
      return true;
    }
  }
  return false;
}

/** Looked at before git does, to whom the names of a small index can be more than the machine has memory. */
async function requirePossible(git: GitDir, file: string): Promise<void> {
  const why = await namesThatCannotBe(await readFile(file), git.objectFormat);
  if (why !== undefined) throw git.fail('index', `the index of the workspace ${why}`);
}

function openIndex(folder: string, name: string): Promise<FileHandle> {
  return open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

async function copyIndex(git: GitDir, file: FileHandle, to: string): Promise<void> {
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > INDEX_BYTES) throw git.fail('index', 'the index of the workspace is none');
    await writeFile(to, file.createReadStream({ autoClose: false }), { mode: 0o600 });
    // Git compares: what is as young as the index may have changed after it was written.
    const writtenAt = Math.floor(stat.mtimeMs) / 1000;
    await utimes(to, writtenAt, writtenAt);
  } finally {
    await file.close();
  }
}
