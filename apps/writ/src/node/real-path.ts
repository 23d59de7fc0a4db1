import { lstatSync, readlinkSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasErrno } from '@writ/core';

/**
 * Where links lead, as the system follows them, a `..` behind a link too; undefined where nothing is there, and where a link leads
 * each process somewhere else (`/proc/self/cwd`, `/dev/stdin`), or on a way of more than 256 parts.
 * INVARIANT: 1, 6 what is read alone or covered by a window is what the command itself finds there.
 */
export function realPath(path: string): string | undefined {
  return wayOf(path)?.missing.length === 0 ? resolved(path) : undefined;
}

function resolved(path: string): string | undefined {
  try {
    // The other one of the module takes `..` by its letters.
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** PROC_SUPER_MAGIC of Linux. */
const PROC = 0x9fa0;
/** As many links as Linux follows. */
const MOST_LINKS = 40;
/** Parts of a path and of the links on its way together: each is a call of the system that holds up everybody. */
const MOST_PARTS = 256;
/** Folders one in the other that may not be there yet. */
const MOST_NEW = 8;

/** How far a path leads: a folder, links resolved, and what of the path is not there below it. */
interface Way {
  readonly at: string;
  readonly missing: readonly string[];
}

/**
 * Follows a path part by part, because that is bounded: through links and folders without end the library takes seconds. Undefined
 * where a link leads through the file system of processes, or to nothing, where nobody can say what is there, and of too many parts.
 */
function wayOf(path: string): Way | undefined {
  let waiting = path.split('/');
  let at = '/';
  // Of `waiting`, the first so many are what a link says.
  let linked = 0;
  for (let [links, parts] = [0, 0]; waiting.length > 0; ) {
    const [part = '', ...rest] = waiting;
    parts += 1;
    if (parts > MOST_PARTS) return undefined;
    const next = part === '..' ? dirname(at) : join(at, part);
    const to = linkOf(next, at);
    if (to === 'nothing') return linked > 0 ? undefined : { at, missing: waiting };
    if (to === 'unknown') return undefined;
    waiting = rest;
    linked = Math.max(0, linked - 1);
    if (to === 'none') {
      at = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) return undefined;
    if (to.text.startsWith('/')) at = '/';
    const said = to.text.split('/');
    waiting = [...said, ...waiting];
    linked += said.length;
  }
  return { at, missing: [] };
}

/** What a link in a folder says; `none` of what is no link, `nothing` where nothing is there, `unknown` where nobody can say, as of processes. */
function linkOf(path: string, folder: string): { readonly text: string } | 'none' | 'nothing' | 'unknown' {
  try {
    if (!lstatSync(path).isSymbolicLink()) return 'none';
    return statfsSync(folder).type === PROC ? 'unknown' : { text: readlinkSync(path) };
  } catch (error) {
    return hasErrno(error, 'ENOENT') || hasErrno(error, 'ENOTDIR') ? 'nothing' : 'unknown';
  }
}

/**
 * Where a path leads, as `realPath`, and for what is not there yet where it would come to be. Undefined where that cannot be
 * told: below more than 8 folders that are not there, and behind a link that leads nowhere, what is written comes to be somewhere else.
 */
export function leadsTo(path: string): string | undefined {
  const way = wayOf(path);
  if (way === undefined || way.missing.length === 0) return way && resolved(path);
  const isNew = way.missing.length <= MOST_NEW && !way.missing.includes('..');
  return isNew ? join(way.at, ...way.missing) : undefined;
}

/** Canonical name of a path: host, kind, and what is absolute. */
const PATH = /^(?<host>[^/]+)\/path\/(?<path>\/.*)$/s;

/** The path that a target is; undefined: it is something else, or on another host. */
export function pathOf(target: string): string | undefined {
  const { host, path } = PATH.exec(target)?.groups ?? {};
  return host === 'self' ? path : undefined;
}

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

/** A link, or one of several names of a file, or nobody can say. */
function isShared(path: string): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found !== undefined && (found.isSymbolicLink() || (found.isFile() && found.nlink > 1));
  } catch {
    return true;
  }
}

/** Others than the owner may write, unless what they may move is their own. */
const WRITTEN_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Whether each folder on the way to a real path can be put in another's place by nobody but root and `user`, who may do as much
 * anyway. Those that are not there yet are made in ones that are.
 */
export function isGuarded(path: string, user: number | undefined): boolean {
  const folder = dirname(path);
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    const isOthers = found !== undefined && user !== undefined && found.uid !== 0 && found.uid !== user;
    const isOpen = found !== undefined && (found.mode & WRITTEN_BY_OTHERS) !== 0;
    // There each may move what is their own, and make what is not there yet.
    if (isOpen && ((found.mode & STICKY) === 0 || !isOwnedBy(path, user))) return false;
    return !isOthers && (folder === path || isGuarded(folder, user));
  } catch {
    return false;
  }
}

function isOwnedBy(path: string, user: number | undefined): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && (user === undefined || found.uid === 0 || found.uid === user);
}

/** Whether a path leads to a file. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
