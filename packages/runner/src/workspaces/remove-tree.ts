import type { Dirent } from 'node:fs';
import { chmod, lstat, mkdtemp, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { hasErrno } from '@writ/core';
import { rawJoin } from './raw-path.ts';

/** Paths are kept shorter than this, bytes: the kernel takes none of 4096. */
const LONG_PATH = 2048;
/** Files that are removed at once. */
const AT_ONCE = 16;
/** How often all is gone over, where something appears while it is removed. */
const ROUNDS = 3;

/**
 * Removes a folder and all in it, also folders that a task has closed or nested deeper than a path can name; links are
 * removed, not followed. Nothing of it is at work any more when it returns or throws; what cannot be removed is all that is
 * left then, and the first reason is thrown. What is gone already is fine.
 */
export async function removeTree(path: string): Promise<void> {
  for (let round = 1; ; round++) {
    const failures: unknown[] = [];
    await clear(Buffer.from(path), failures);
    if (failures.length === 0) return;
    if (round === ROUNDS) throw failures[0];
  }
}

/** Removes what it can below and with `root`, part by part: what lies too deep for its path becomes a part of its own. */
async function clear(root: Buffer, failures: unknown[]): Promise<void> {
  const failed = (error: unknown): void => {
    if (!hasErrno(error, 'ENOENT')) failures.push(error);
  };
  const isFolder = await lstat(root).then(
    (stat) => stat.isDirectory(),
    () => true,
  );
  if (!isFolder) return unlink(root).catch(failed);
  const parts = [root];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    // The root is left for the end: what was too deep is moved there.
    const emptied = part === root ? [] : [part];
    const folders = [part];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (folder !== part) emptied.push(folder);
      for (const name of await emptyOfFiles(folder, failed)) {
        const inner = rawJoin(folder, name);
        if (inner.length < LONG_PATH) folders.push(inner);
        else await moveUp(root, inner).then((moved) => parts.push(moved), failed);
      }
    }
    // Each folder stands behind the one that it is in.
    for (const folder of emptied.toReversed()) await rmdir(folder).catch(failed);
  }
  await rmdir(root).catch(failed);
}

/** Removes what is no folder, and gives the names of the folders. */
async function emptyOfFiles(folder: Buffer, failed: (error: unknown) => void): Promise<readonly Buffer[]> {
  // One that belongs to somebody else says so below.
  await chmod(folder, 0o700).catch(() => {});
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' }).catch(
    (error: unknown): Dirent<Buffer>[] => {
      failed(error);
      return [];
    },
  );
  const files = entries.filter((entry) => !entry.isDirectory());
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE);
    await Promise.all(some.map(({ name }) => unlink(rawJoin(folder, name)).catch(failed)));
  }
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Moves a folder into a new one directly below the root, whose own path is text; that one is returned. */
async function moveUp(root: Buffer, folder: Buffer): Promise<Buffer> {
  const place = Buffer.from(await mkdtemp(`${root.toString()}/deep-`));
  // A folder that its owner cannot write to cannot be moved.
  await chmod(folder, 0o700);
  await rename(folder, rawJoin(place, Buffer.from('moved')));
  return place;
}
