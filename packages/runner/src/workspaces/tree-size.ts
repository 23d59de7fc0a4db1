import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A block of `stat`, bytes. */
const BLOCK_BYTES = 512;

/** Bytes on the disk of all below a folder; links are not followed, and what cannot be read counts nothing. */
export async function treeSize(root: string): Promise<number> {
  let bytes = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else bytes += ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * BLOCK_BYTES;
    }
  }
  return bytes;
}
