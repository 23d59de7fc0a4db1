import { constants } from 'node:fs';
import { lstat, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '@writ/core';
import type { GitDir } from './git-dir.ts';
import { splitNul } from './raw-path.ts';

/** Longest index that is read, bytes. */
const INDEX_BYTES = 256 * 1024 * 1024;

/** The paths in the workspace's own index: what was added there by force counts, although it is ignored. */
export async function trackedThere(
  git: GitDir,
  workspaceDir: string,
  indexFile: string | undefined,
): Promise<Buffer[]> {
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
    if (hasErrno(error, 'ENOENT')) return [];
    if (hasErrno(error, 'ELOOP')) throw git.fail('index', 'the index of the workspace is a link');
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
