import { constants } from 'node:fs';
import { lstat, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, type WritError } from '@writ/core';
import type { GitDir } from './git-dir.ts';
import { namesThatCannotBe } from './index-names.ts';
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
  { indexFile, isRequired }: { readonly indexFile: string | undefined; readonly isRequired: boolean },
): Promise<IndexEntries | undefined> {
  const own = join(workspaceDir, '.git');
  if (indexFile === undefined) {
    const kind = await lstat(own).catch(() => undefined);
    if (kind === undefined) return undefined;
    if (!kind.isDirectory()) throw git.fail('index', 'the `.git` of the workspace is no folder: it leads elsewhere');
  }
  const copy = join(git.dir, 'workspace-index');
  try {
    await copyIndex(git, indexFile ?? join(own, 'index'), copy);
  } catch (error) {
    if (hasErrno(error, 'ELOOP')) throw git.fail('index', 'the index of the workspace is a link');
    if (!hasErrno(error, 'ENOENT')) throw error;
    if (isRequired && indexFile === undefined) throw git.fail('index', 'the index of the workspace is gone');
    return undefined;
  }
  const bytes = await readFile(copy);
  const why = await namesThatCannotBe(bytes, git.objectFormat);
  if (why !== undefined) throw git.fail('index', `the index of the workspace ${why}`);
  const entries = await entriesOf(git, 'index', { GIT_INDEX_FILE: copy }).catch((error: unknown) => {
    throw isSplit(bytes) ? split(git) : error;
  });
  const count = bytes.subarray(COUNT_AT, COUNT_AT + 4);
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
