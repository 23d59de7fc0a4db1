import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasErrno, WritError } from '@writ/core';

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

/**
 * The first of `dirs` that can be made and written to; what an earlier node left there is removed. Each copy lies below empty folders of its own, named as those
 * of its file: a script that goes from `$0` to the folders above finds none of a node's, and none of another copy's. Throws
 * where none of them can be made.
 */
export function createHeldPlace(dirs: readonly string[]): HeldPlace {
  const dir = firstOf(dirs);
  let made = 0;
  return {
    async make(path) {
      made += 1;
      const folder = join(dir, String(made));
      const below = placeBelow(folder, path);
      for (let tries = 1; ; tries += 1) {
        try {
          await mkdir(dir, { recursive: true, mode: 0o700 });
          // Not one that is there: that would be somebody else's.
          await mkdir(folder, { mode: 0o700 });
          break;
        } catch (error) {
          if (!hasErrno(error, 'ENOENT') || tries === TRIES) throw error;
        }
      }
      await mkdir(dirname(below), { recursive: true, mode: 0o700 });
      return {
        path: below,
        async remove() {
          await rm(folder, { recursive: true, force: true });
          await removeEmpty(dir);
        },
      };
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

function firstOf(dirs: readonly string[]): string {
  let first: string | undefined;
  let cause: unknown;
  for (const dir of dirs) {
    try {
      rmSync(dir, { recursive: true, force: true });
      if (first !== undefined) continue;
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      // What is nobody's to write to may be there nevertheless.
      rmSync(mkdtempSync(join(dir, 'try-')), { recursive: true });
      rmSync(dir, { recursive: true });
      first = dir;
    } catch (error) {
      cause = error;
    }
  }
  if (first !== undefined) return first;
  throw new WritError('INTERNAL', 'there is no folder for copies of what commands run', { cause });
}

/** Nothing of a node is left where other programs have their things, while it holds nothing. */
async function removeEmpty(dir: string): Promise<void> {
  try {
    await rmdir(dir);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].some((code) => hasErrno(error, code))) throw error;
  }
}
