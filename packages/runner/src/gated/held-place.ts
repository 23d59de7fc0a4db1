import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasErrno, WritError } from '@writ/core';
import { endSearches } from './ends-of-search.ts';
import { executesIn } from './executing-place.ts';

/** Where private copies lie. */
export interface HeldPlace {
  /** An absolute path for a copy of `path`, in a folder that is there and that nothing else is in. */
  make(path: string): Promise<NewPlace>;
}

export interface NewPlace {
  readonly path: string;
  /** Removes the copy, and all that was made for it. */
  remove(): Promise<void>;
}

/** Empty folders above those that a copy has of its own file: more than anybody climbs by mistake. */
const EMPTY_ABOVE = 16;
/** Longest path that is made, bytes; systems take 1,024 at least. */
const LONGEST_BYTES = 1000;
/** Times that a folder is made anew which went away meanwhile: with the last copy goes what it lay in. */
const TRIES = 8;

/** Bits of a mode that let others than the owner write, and the one with which nobody moves what is somebody else's. */
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * The first of `dirs` that can be made and written to, whose programs can be run, and that nobody but `user` and the superuser can put another one in the place of; what an earlier node
 * left there is removed; the last one, which is the node's own, where there is no such. Each copy lies below empty folders of its own, named as those of its file: a script that goes from `$0` to the folders above finds none
 * of a node's, and none of another copy's. Throws where none of them can be made.
 */
export function createHeldPlace(
  dirs: readonly string[],
  user: number | undefined,
  executes: (dir: string) => boolean = executesIn,
): HeldPlace {
  const dir = firstOf(dirs, { user, executes });
  return {
    async make(path) {
      let folder: string;
      for (let tries = 1; ; tries += 1) {
        try {
          await mkdir(dir, { recursive: true, mode: 0o700 });
          // Under a name that nobody has taken before.
          folder = await mkdtemp(join(dir, 'c'));
          break;
        } catch (error) {
          if (!hasErrno(error, 'ENOENT') || tries === TRIES) throw error;
        }
      }
      const remove = async (): Promise<void> => {
        await rm(folder, { recursive: true, force: true });
        await removeEmpty(dir);
      };
      const below = placeBelow(folder, path);
      try {
        await mkdir(dirname(below), { recursive: true, mode: 0o700 });
        await endSearches(folder);
      } catch (error) {
        // A disk that is full is not filled up by what is tried again.
        await remove();
        throw error;
      }
      return { path: below, remove };
    },
  };
}

/** Its own folders by their names; a path that is too long for that by as many of one letter. */
function placeBelow(folder: string, path: string): string {
  const empty = Array.from({ length: EMPTY_ABOVE }, () => 'x');
  const named = join(folder, ...empty, path);
  if (Buffer.byteLength(named) <= LONGEST_BYTES) return named;
  const own = dirname(path).split('/').filter(Boolean);
  return join(folder, ...empty, ...own.map(() => 'x'), basename(path));
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

/** Nothing of a node is left where other programs have their things, while it holds nothing. */
async function removeEmpty(dir: string): Promise<void> {
  try {
    await rmdir(dir);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].some((code) => hasErrno(error, code))) throw error;
  }
}
