import { lstatSync, readlinkSync } from 'node:fs';
import { hasErrno } from '@writ/core';

/** Most parts of one path that are looked at, those of the links in it too: agents name paths, and nothing else goes on meanwhile. */
const MOST_PARTS = 128;
/** Links in it lead each process somewhere else. */
const OF_PROCESSES = /^\/proc(?:\/|$)/;

/**
 * Where an absolute path leads at this moment, as the system follows its links, a `..` behind a link too, and for what is not there
 * yet where it would come to be. Undefined where that cannot be told: behind a link that leads nowhere, what is written comes to be
 * somewhere else; and of more than 128 parts, its links followed, nobody finds out.
 */
export function leadsTo(path: string): string | undefined {
  // The next one last.
  const left = partsOf(path);
  // What a link says stands in front of what stood behind it: as much as this is left of the path as it was named.
  let ownLeft = left.length;
  let place = '';
  for (let looked = 0; left.length > 0; looked += 1) {
    if (looked + left.length > MOST_PARTS) return undefined;
    const isOwn = left.length <= ownLeft;
    const part = left.pop() ?? '';
    if (part === '..') {
      place = place.slice(0, Math.max(0, place.lastIndexOf('/')));
      continue;
    }
    const next = `${place}/${part}`;
    const found = look(next);
    if (found === 'nothing') return isOwn && !left.includes('..') ? [next, ...left.reverse()].join('/') : undefined;
    if (found === 'untold') return undefined;
    if (found.link === undefined) {
      place = next;
      continue;
    }
    if (OF_PROCESSES.test(place)) return undefined;
    ownLeft = Math.min(ownLeft, left.length);
    left.push(...partsOf(found.link));
    if (found.link.startsWith('/')) place = '';
  }
  return place === '' ? '/' : place;
}

/** What has that name: nothing, something that nobody can see, or something, of a link what it says. */
function look(path: string): 'nothing' | 'untold' | { readonly link?: string } {
  try {
    return lstatSync(path).isSymbolicLink() ? { link: readlinkSync(path) } : {};
  } catch (error) {
    return hasErrno(error, 'ENOENT') || hasErrno(error, 'ENOTDIR') ? 'nothing' : 'untold';
  }
}

/** Parts of a path, the first one last. */
function partsOf(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .reverse();
}
