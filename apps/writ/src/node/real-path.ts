import { lstatSync, readlinkSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Where links lead, as the system follows them, a `..` behind a link too; undefined where nothing is there, and where a link leads
 * each process somewhere else (`/proc/self/cwd`, `/dev/stdin`).
 * INVARIANT: 1, 6 what is read alone or covered by a window is what the command itself finds there.
 */
export function realPath(path: string): string | undefined {
  try {
    // The other one of the module takes `..` by its letters.
    const real = realpathSync.native(path);
    return real === path || !leadsThroughProcesses(path) ? real : undefined;
  } catch {
    return undefined;
  }
}

/** PROC_SUPER_MAGIC of Linux. */
const PROC = 0x9fa0;
/** As many links as Linux follows. */
const MOST_LINKS = 40;

/** Whether some part of a path is a link of the file system of processes. Throws where a part is not there. */
function leadsThroughProcesses(path: string): boolean {
  let waiting = path.split('/');
  let at = '/';
  for (let links = 0; waiting.length > 0; ) {
    const [part = '', ...rest] = waiting;
    waiting = rest;
    const next = part === '..' ? dirname(at) : join(at, part);
    if (!lstatSync(next).isSymbolicLink()) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS || statfsSync(at).type === PROC) return true;
    const to = readlinkSync(next);
    if (to.startsWith('/')) at = '/';
    waiting = [...to.split('/'), ...waiting];
  }
  return false;
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
