import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasErrno } from './errno.ts';
import { WritError } from './errors.ts';
import { quote } from './text.ts';

/**
 * Why this process can write nothing in `dir`, or cannot make it, as BAD_REQUEST with what to do; undefined where nothing
 * speaks against it. Looks alone: how much room there is shows only when something is written.
 */
export function findUnwritable(dir: string): WritError | undefined {
  const there = nearest(dir);
  try {
    // What stands in the way is for whoever makes the folder to say.
    if (statSync(there).isDirectory()) accessSync(there, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (cause) {
    const what = there === dir ? quote(dir) : `${quote(dir)} cannot be made: ${quote(there)}`;
    const elsewhere = 'or name a folder elsewhere: --home DIR, or WRIT_HOME';
    if (hasErrno(cause, 'EROFS')) {
      const nextSteps = ['mount the file system so that it can be written', elsewhere];
      return new WritError('BAD_REQUEST', `${what} is on a read-only file system`, { nextSteps, cause });
    }
    if (!hasErrno(cause, 'EACCES')) return undefined;
    const nextSteps = ['run it as the user whom the folder belongs to, or have it made writable for you', elsewhere];
    return new WritError('BAD_REQUEST', `${what} cannot be written by this user`, { nextSteps, cause });
  }
}

/** The folder itself, or what it would be made in. */
function nearest(dir: string): string {
  return isThere(dir) || dirname(dir) === dir ? dir : nearest(dirname(dir));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // Below something that is no folder. What cannot be looked at is there, as far as anybody can tell.
    return !hasErrno(error, 'ENOTDIR');
  }
}
