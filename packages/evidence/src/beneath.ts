import { constants } from 'node:fs';
import { type FileHandle, open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** macOS: refuses a link in any component, not only in the last one. */
const O_NOFOLLOW_ANY = 0x20000000;

/** How one place below a folder is opened without following any link on the way. */
export type OpenBeneath = (root: string, parts: readonly string[]) => Promise<FileHandle>;

/**
 * Opens a file below `root` for reading; a link in any component, also one that is swapped in meanwhile, is an error of
 * the operating system (ELOOP or ENOTDIR). Does not wait at a FIFO.
 */
export function openBeneath(platform: NodeJS.Platform): OpenBeneath {
  return platform === 'linux' ? stepByStep : inOneStep;
}

/** Node.js has no `openat`; the kernel's own names of open folders serve for it. */
async function stepByStep(root: string, parts: readonly string[]): Promise<FileHandle> {
  let folder = await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    for (const part of parts.slice(0, -1)) {
      const next = await open(
        `/proc/self/fd/${folder.fd}/${part}`,
        constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
      );
      await folder.close();
      folder = next;
    }
    return await open(
      `/proc/self/fd/${folder.fd}/${parts.at(-1)}`,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
  } finally {
    await folder.close();
  }
}

/**
 * How many folders inside each other are looked into: each is open as long as those in it are, and a task can nest more than
 * a process may open.
 */
export const MOST_NESTED = 256;

/** A folder that is open, and the path that leads to it: on Linux to it alone, whatever stands in its place by now. */
export interface OpenFolder {
  readonly path: string | Buffer;
}

/**
 * Opens a folder, which may be no link, for as long as `use` takes. What is opened below its path with `noFollow` comes through no
 * link. Elsewhere than on Linux a list of its names may be that of a folder that was put in its place meanwhile. Rejects with
 * ELOOP or ENOTDIR where it is none.
 */
export async function inFolder<T>(
  platform: NodeJS.Platform,
  path: string | Buffer,
  use: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | noFollow(platform));
  try {
    // Node.js has no `openat`; the kernel's own name of an open folder serves for it. Elsewhere a flag does.
    return await use({ path: platform === 'linux' ? `/proc/self/fd/${folder.fd}` : path });
  } finally {
    await folder.close();
  }
}

/** What is in an open folder; names as bytes. */
export async function listFolder({ path }: OpenFolder) {
  return await readdir(path, { encoding: 'buffer', withFileTypes: true });
}

/** Refuses a link: in the last component, where the others are known to be none. */
export function noFollow(platform: NodeJS.Platform): number {
  return platform === 'linux' ? constants.O_NOFOLLOW : O_NOFOLLOW_ANY;
}

async function inOneStep(root: string, parts: readonly string[]): Promise<FileHandle> {
  const path = join(await realpath(root), ...parts);
  return await open(path, constants.O_RDONLY | constants.O_NONBLOCK | O_NOFOLLOW_ANY);
}
