import type { Stats } from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import { hasErrno, UNCOUNTED_BYTES } from '@writ/core';
import { rawJoin } from './raw-path.ts';

/** A block of `stat`, bytes. */
const BLOCK_BYTES = 512;

/**
 * Bytes on the disk of a folder and all below it; links are not followed. Folders that a task has closed are opened. What
 * cannot be counted, for it lies deeper than a path can name or is somebody else's, makes the whole count as
 * `UNCOUNTED_BYTES`: a budget that a task could hide from would bind nobody.
 */
export async function treeSize(root: string): Promise<number> {
  let bytes = 0;
  const folders: Buffer[] = [Buffer.from(root)];
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      bytes += sizeOf(await unlessGone(lstat(folder)));
      for (const entry of (await unlessGone(entriesOf(folder))) ?? []) {
        const path = rawJoin(folder, entry.name);
        if (entry.isDirectory()) folders.push(path);
        else bytes += sizeOf(await unlessGone(lstat(path)));
      }
    }
    return bytes;
  } catch {
    return UNCOUNTED_BYTES;
  }
}

/** Whatever has a name takes room, also an empty file. */
function sizeOf(stat: Stats | undefined): number {
  return stat === undefined ? 0 : Math.max(stat.blocks, 1) * BLOCK_BYTES;
}

async function entriesOf(folder: Buffer) {
  try {
    return await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (!hasErrno(error, 'EACCES')) throw error;
    await chmod(folder, 0o700);
    return await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  }
}

/** Undefined for what has gone since it was seen. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}
