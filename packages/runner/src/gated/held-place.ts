import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WritError } from '@writ/core';
import { executesIn } from './executing-place.ts';
import { makeNewPlace, type NewPlace } from './new-place.ts';

/** Where private copies lie. */
export interface HeldPlace {
  /** An absolute path for a copy of `path`, in a folder that is there and that nothing else is in. */
  make(path: string): Promise<NewPlace>;
}

/** Bits of a mode that let others than the owner write, and the one with which nobody moves what is somebody else's. */
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * The first of `dirs` that can be made and written to, whose programs can be run, and that nobody but `user` and the superuser can put another one in the place of; what an earlier node
 * left there is removed; the last one, which is the node's own, where there is no such. Throws where none of them can be made.
 */
export function createHeldPlace(
  dirs: readonly string[],
  user: number | undefined,
  executes: (dir: string) => boolean = executesIn,
): HeldPlace {
  const dir = firstOf(dirs, { user, executes });
  return {
    make: (path) => makeNewPlace(path, dir, () => mkdir(dir, { recursive: true, mode: 0o700 })),
  };
}

function firstOf(
  dirs: readonly string[],
  { user, executes }: { readonly user: number | undefined; readonly executes: (dir: string) => boolean },
): string {
  let first: string | undefined;
  let second: string | undefined;
  let last: string | undefined;
  let cause: unknown;
  for (const dir of dirs) {
    try {
      // Nothing is removed, made or run where somebody else could put another folder meanwhile.
      if (!isOursSoFar(dir, user) && dir !== dirs.at(-1)) continue;
      rmSync(dir, { recursive: true, force: true });
      if (first !== undefined) continue;
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      // What is nobody's to write to may be there nevertheless.
      const tried = mkdtempSync(join(dir, 'try-'));
      const isRun = executes(tried);
      rmSync(tried, { recursive: true });
      const isOurs = isMovedByNobody(dir, user) && isMovedByNobody(realpathSync(dir), user);
      rmSync(dir, { recursive: true });
      if (isOurs && isRun) first = dir;
      // What is only read can lie there; a program says why it is not run.
      else if (isOurs) second ??= dir;
      if (dir === dirs.at(-1)) last = dir;
    } catch (error) {
      cause = error;
    }
  }
  // Whoever can move the node's own has its keys and its token as well.
  const found = first ?? second ?? last;
  if (found !== undefined) return found;
  throw new WritError('INTERNAL', 'there is no folder for copies of what commands run', { cause });
}

/** Whether that is so of what is there of it. */
function isOursSoFar(dir: string, user: number | undefined): boolean {
  if (lstatSync(dir, { throwIfNoEntry: false }) === undefined)
    return dir === dirname(dir) || isOursSoFar(dirname(dir), user);
  return isMovedByNobody(dir, user) && isMovedByNobody(realpathSync(dir), user);
}

/** INVARIANT: 5 what was hashed is what runs: whoever could rename a folder above a copy could put another one there. */
function isMovedByNobody(dir: string, user: number | undefined): boolean {
  if (user === undefined) return true;
  for (let place = dir; ; place = dirname(place)) {
    const found = lstatSync(place);
    // A link is what the folder that it lies in lets somebody make it, and where it leads is looked at as well.
    const isOpen = !found.isSymbolicLink() && (found.mode & OTHERS_WRITE) !== 0 && (found.mode & STICKY) === 0;
    if (isOpen || (found.uid !== 0 && found.uid !== user)) return false;
    if (place === dirname(place)) return true;
  }
}
