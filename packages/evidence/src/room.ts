import { readFile, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseAlternates } from './alternates.ts';
import type { GitRoom, GitWork } from './types.ts';

/** How far objects that are borrowed may be borrowed themselves; git goes no further either. */
const DEEPEST = 5;

/**
 * A room for git that looks at folders of others: they and the borrowed objects are there to be read, `own` to be written.
 * Undefined where nothing of others is looked at, or there are no rooms.
 */
export async function openRoomFor(
  { openRoom, path, timeoutMs, looksAt }: Pick<GitWork, 'openRoom' | 'path'> & RoomWish,
  own: string,
  objects: readonly string[],
): Promise<GitRoom | undefined> {
  if (looksAt === undefined || openRoom === undefined) return undefined;
  const borrowed = await Promise.all(objects.map((folder) => withAlternates(folder, DEEPEST)));
  return openRoom({ read: [...looksAt, ...borrowed.flat()], write: [own], path, timeoutMs });
}

interface RoomWish {
  readonly timeoutMs: number;
  readonly looksAt?: readonly string[];
}

/** An object directory, and those that it borrows from: a clone may have been made with `--reference`. */
async function withAlternates(objects: string, deeper: number): Promise<readonly string[]> {
  if ((await realpath(objects).catch(() => undefined)) === undefined) return [];
  const text = deeper === 0 ? '' : await readFile(`${objects}/info/alternates`, 'utf8').catch(() => '');
  const named = parseAlternates(text);
  const more = await Promise.all(named.map((folder) => withAlternates(resolve(objects, folder), deeper - 1)));
  return [objects, ...more.flat()];
}
