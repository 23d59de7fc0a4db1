import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Where links lead, as the system follows them, a `..` behind a link too; undefined where nothing is there. */
export function realPath(path: string): string | undefined {
  try {
    // The other one of the module takes `..` by its letters.
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Canonical name of a path: host, kind, and what is absolute. */
const PATH = /^(?<host>[^/]+)\/path\/(?<path>\/.*)$/s;

/**
 * What a target is at this moment: of a path the real one, its folders resolved. None where it is a link itself, which some programs
 * follow and some do not, where its folder is not there, and on another host, whose links nobody sees from here.
 * INVARIANT: 6 a window is for one thing, and not for a name that can be put in front of another.
 */
export function realTarget(target: string): string | undefined {
  const { host, path } = PATH.exec(target)?.groups ?? {};
  if (host === undefined || path === undefined) return target;
  if (host !== 'self') return undefined;
  const folder = realPath(dirname(path));
  if (folder === undefined) return undefined;
  const real = path === '/' ? path : join(folder, basename(path));
  return isShared(real) ? undefined : `${host}/path/${real}`;
}

/** A link, or one of several names of a file. */
function isShared(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isSymbolicLink() || (found.isFile() && found.nlink > 1));
}

/** Whether a path leads to a file. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
