import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, type WritError } from '@writ/core';
import { openBeneath } from './beneath.ts';
import type { GitDir } from './git-dir.ts';
import { entriesOf, type IndexEntries } from './submodules.ts';

/** Longest index that is read, bytes. */
const INDEX_BYTES = 256 * 1024 * 1024;
/** Where an index says how many entries it has. */
const COUNT_AT = 8;
/** Bytes of the shorter kind of digest, and of an extension with one. */
const SHORTEST_DIGEST = 20;
const LINK_AT_LEAST = 8 + SHORTEST_DIGEST;

/**
 * What the workspace's own index holds: what was added there by force counts, although it is ignored. Undefined where there
 * is none. Throws where there has to be one (`isRequired`), in a git directory that is still there: what was committed by
 * force, or in the place of a submodule, would be seen by nobody.
 */
export async function trackedThere(
  git: GitDir,
  workspaceDir: string,
  how: { readonly platform: NodeJS.Platform; readonly indexFile: string | undefined; readonly isRequired: boolean },
): Promise<IndexEntries | undefined> {
  const { platform, indexFile, isRequired } = how;
  const own = join(workspaceDir, '.git');
  if (indexFile === undefined) {
    const kind = await lstat(own).catch(() => undefined);
    if (kind === undefined) return undefined;
    if (!kind.isDirectory()) throw git.fail('index', 'the `.git` of the workspace is no folder: it leads elsewhere');
  }
  const copy = join(git.dir, 'workspace-index');
  try {
    // In a worktree of the owner's the index has a path of its own, which nobody but the owner changes.
    const from =
      indexFile === undefined ? openBeneath(platform)(workspaceDir, ['.git', 'index']) : openIndex(indexFile);
    await copyIndex(git, await from, copy);
  } catch (error) {
    if (['ELOOP', 'ENOTDIR'].some((code) => hasErrno(error, code)))
      throw git.fail('index', 'the index of the workspace is a link or behind one');
    if (!hasErrno(error, 'ENOENT')) throw error;
    if (isRequired && indexFile === undefined) throw git.fail('index', 'the index of the workspace is gone');
    return undefined;
  }
  const entries = await entriesOf(git, 'index', { GIT_INDEX_FILE: copy }).catch(async (error: unknown) => {
    throw isSplit(await readFile(copy)) ? split(git) : error;
  });
  const count = (await readFile(copy)).subarray(COUNT_AT, COUNT_AT + 4);
  // INVARIANT: 10 what git leaves out of its list would be seen by nobody.
  if (count.length < 4 || count.readUInt32BE() !== entries.count) {
    throw git.fail('index', 'git did not list the whole index of the workspace');
  }
  return entries;
}

/** What is in another file is the repository's own, and is not looked for. */
function split(git: GitDir): WritError {
  return git.fail('index', 'the index of the workspace is split, and most of it is in another file', [
    'in that repository: git config core.splitIndex false && git update-index --no-split-index',
  ]);
}

/** Whether an index has the extension that names another file: four letters, a length, and the digest that the file is called by. */
function isSplit(index: Buffer): boolean {
  const at = index.lastIndexOf('link');
  if (at < 0 || index.length < at + LINK_AT_LEAST) return false;
  const size = index.readUInt32BE(at + 4);
  return size >= SHORTEST_DIGEST && at + 8 + size <= index.length;
}

function openIndex(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

async function copyIndex(git: GitDir, file: FileHandle, to: string): Promise<void> {
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > INDEX_BYTES) throw git.fail('index', 'the index of the workspace is none');
    await writeFile(to, file.createReadStream({ autoClose: false }), { mode: 0o600 });
  } finally {
    await file.close();
  }
}
