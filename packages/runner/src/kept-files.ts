import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { hasErrno } from '@writ/core';

/** Names in a folder of the node's; none where the folder was never made. */
export async function namesIn(root: string): Promise<readonly string[]> {
  try {
    return await readdir(root);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Opens a file of the node's to read it, never through a link; undefined where there is none. */
export async function openExisting(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}
