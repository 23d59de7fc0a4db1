import { lstatSync, mkdirSync, mkdtempSync, rmSync, type Stats, statfsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hasErrno } from '@writ/core';
import { executesIn } from './executing-place.ts';
import { makeNewPlace, type NewPlace } from './new-place.ts';

/** Where copies of scripts lie, while there is such a place. */
export interface ScriptPlace {
  /** A place for a copy of `path`, which has so many bytes; undefined: not here, now. Never rejects. */
  make(path: string, sizeBytes: number): Promise<NewPlace | undefined>;
}

/** Where such a place may be. */
export interface ScriptPlaceOptions {
  /** Absolute folders of this node alone, each to be made in a folder of the system for what runs. */
  readonly dirs: readonly string[];
  /** User id that this node runs under; undefined where there are none: there is no such place then. */
  readonly user: number | undefined;
}

/** What is found out about the machine. */
export interface ScriptPlaceChecks {
  readonly executes: (dir: string) => boolean;
  readonly isRuntime: (dir: string, user: number) => boolean;
  readonly freeBytes: (dir: string) => number;
}

const CHECKS: ScriptPlaceChecks = { executes: executesIn, isRuntime: isRuntimeFolder, freeBytes };

/** Larger ones are bundled programs rather than scripts: such a folder lies in memory. */
const LARGEST_BYTES = 16 * 1024 * 1024;
/** What is left of such a folder for everybody else, bytes: the sockets of a whole session lie there. */
const LEFT_BYTES = 64 * 1024 * 1024;
/** And the share of it that is left where it is smaller than four times that. */
const LEFT_SHARE = 0.25;
/** Files that can be made there still; a copy has some seventy folders and files around it. */
const LEFT_FILES = 1024;
/** And what those take up, bytes. */
const AROUND_BYTES = 64 * 1024;

/**
 * A place in the folder that the system has for what a user runs, the first of `dirs` that is fit for it: above it are folders of the system alone, so that a script that climbs from where
 * it lies, looking for a name that is nowhere on its way, comes to nobody's home. What an earlier node left there is removed. Such a folder goes away when its user has logged out, and comes back with the next
 * session: whether it is fit is looked at for each copy.
 */
export function createScriptPlace(
  { dirs, user }: ScriptPlaceOptions,
  { executes, isRuntime, freeBytes: free }: ScriptPlaceChecks = CHECKS,
): ScriptPlace {
  const isFit = (dir: string): boolean => user !== undefined && isRuntime(dirname(dir), user);
  const [found] = dirs.filter((dir) => isFit(dir) && isEmptied(dir, executes));
  return {
    async make(path, sizeBytes) {
      if (found === undefined || sizeBytes > LARGEST_BYTES) return undefined;
      try {
        if (!isFit(found) || free(dirname(found)) < sizeBytes + AROUND_BYTES) return undefined;
        return await makeNewPlace(path, found, () => makeFolder(found));
      } catch {
        // It went away, or is full, and is not the only place.
        return undefined;
      }
    },
  };
}

/** Never what it lies in: that is the system's to make. */
async function makeFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { mode: 0o700 });
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error;
  }
}

/** Removes what was left, and says whether programs can be run there: a script may start itself anew. */
function isEmptied(dir: string, executes: (dir: string) => boolean): boolean {
  try {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { mode: 0o700 });
    const isRun = executes(mkdtempSync(join(dir, 'try-')));
    rmSync(dir, { recursive: true });
    return isRun;
  } catch {
    return false;
  }
}

/** Bits of a mode that let others than the owner write. */
const OTHERS_WRITE = 0o022;
const ROOT = 0;
const RUNTIME = '/run';

/**
 * Whether `dir` is a folder of the system for what runs, and of `user`: it is `/run` or lies below it, no link leads to it, it belongs to the user, those
 * above it belong to the superuser, and nobody else may write to any of them. `look` says what is at a path.
 * INVARIANT: 5 what was hashed is what runs: nobody else can put another folder in the place of one above a copy, nor a file that a script would look for there.
 */
export function isRuntimeFolder(
  dir: string,
  user: number,
  look: (path: string) => Pick<Stats, 'uid' | 'mode' | 'isDirectory'> = lstatSync,
): boolean {
  if (resolve(dir) !== dir || !`${dir}/`.startsWith(`${RUNTIME}/`)) return false;
  try {
    for (let place = dir; ; place = dirname(place)) {
      const found = look(place);
      const owner = place === dir ? user : ROOT;
      if (!found.isDirectory() || found.uid !== owner || (found.mode & OTHERS_WRITE) !== 0) return false;
      if (place === dirname(place)) return true;
    }
  } catch {
    return false;
  }
}

/** Bytes that may be taken up there. */
function freeBytes(dir: string): number {
  const { bavail, bsize, blocks, files, ffree } = statfsSync(dir);
  // Where a file system does not count its files, there is no end to them.
  if (files > 0 && ffree < LEFT_FILES) return 0;
  return bavail * bsize - Math.min(LEFT_BYTES, blocks * bsize * LEFT_SHARE);
}
