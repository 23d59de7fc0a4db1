import { mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasErrno } from '@writ/core';
import { endSearches } from './ends-of-search.ts';

/** Where one private copy lies, or will. */
export interface NewPlace {
  /** Absolute, in a folder that is there and that nothing else is in. */
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

/**
 * A place in `dir` for a copy of `path`, below empty folders of its own that are named as those of its file: a script that goes from `$0` to the
 * folders above finds none of a node's, and none of another copy's. `prepare` makes `dir` where it is not there; it goes with the last copy.
 */
export async function makeNewPlace(path: string, dir: string, prepare: () => Promise<unknown>): Promise<NewPlace> {
  const folder = await makeFolder(dir, prepare);
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
}

/** Under a name that nobody has taken before. */
async function makeFolder(dir: string, prepare: () => Promise<unknown>): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      await prepare();
      return await mkdtemp(join(dir, 'c'));
    } catch (error) {
      if (!hasErrno(error, 'ENOENT') || tries === TRIES) throw error;
    }
  }
}

/** Its own folders by their names; a path that is too long for that by as many of one letter. */
function placeBelow(folder: string, path: string): string {
  const empty = Array.from({ length: EMPTY_ABOVE }, () => 'x');
  const named = join(folder, ...empty, path);
  if (Buffer.byteLength(named) <= LONGEST_BYTES) return named;
  const own = dirname(path).split('/').filter(Boolean);
  return join(folder, ...empty, ...own.map(() => 'x'), basename(path));
}

/** Nothing of a node is left where other programs have their things, while it holds nothing. */
async function removeEmpty(dir: string): Promise<void> {
  try {
    await rmdir(dir);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].some((code) => hasErrno(error, code))) throw error;
  }
}
