import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Paths are kept shorter than this, bytes: the kernel takes none of 4096. */
const LONG_PATH = 2048;

/**
 * Removes a folder and all in it, also folders that a task has made read-only or nested deeper than a path can name; links
 * are removed, not followed.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await openUp(path);
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Makes every folder below `root` its owner's again; what lies too deep is moved up to the root. */
async function openUp(root: string): Promise<void> {
  let moved = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const inner = join(folder, entry.name);
      if (Buffer.byteLength(inner) < LONG_PATH) {
        folders.push(inner);
        continue;
      }
      moved += 1;
      const shallow = join(root, `moved-${moved}`);
      // A folder that is not its owner's cannot be moved.
      await chmod(inner, 0o700);
      await rename(inner, shallow);
      folders.push(shallow);
    }
  }
}
