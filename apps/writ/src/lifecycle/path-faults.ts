import { accessSync, constants, lstatSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { findExposure, hasErrno, quote, shellWord, WritError } from '@writ/core';
import { ownerOf } from './home-owner.ts';

/** What a node does with a file or folder of its home. */
export interface Use {
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** Whether nobody else may reach it, and no link may stand for it. */
  readonly isPrivate: boolean;
  /** Whether it is written to, and not only read. */
  readonly isWritten: boolean;
}

/** What `findPathFault` found. */
export interface PathFault {
  /** The file or folder that is to be mended: the one that was asked for, or one on the way to it. */
  readonly path: string;
  readonly error: WritError;
  /** Set where another user's folder above keeps this one out, and nothing on the way is this user's: number of that user. */
  readonly keptOutBy?: number;
}

/**
 * What keeps this process, which runs as `uid`, from using a file or folder as a node does; undefined where nothing does, and where
 * nothing is there. Whatever the system refuses on the way is a result and never thrown.
 */
export function findPathFault(use: Use, uid: number | undefined): PathFault | undefined {
  const { path } = use;
  const blocked = blockedOnTheWay(path, uid);
  if (blocked !== undefined) return blocked;
  const stats = lookAt(path, use.isPrivate ? lstatSync : statSync);
  if (stats === undefined) return undefined;
  const error = stats instanceof Error ? asFault(path, stats) : endFault(use, stats, uid);
  return error === undefined ? undefined : { path, error };
}

function endFault({ path, kind, isPrivate, isWritten }: Use, stats: Stats, uid: number | undefined) {
  const exposure = isPrivate ? findExposure(path, kind, uid) : undefined;
  if (exposure !== undefined) return exposure;
  if (kind === 'file' ? !stats.isFile() : !stats.isDirectory()) return misplaced(path, `no plain ${kind}`);
  const { R_OK, W_OK, X_OK } = constants;
  const bits = R_OK | (isWritten ? W_OK : 0) | (kind === 'directory' ? X_OK : 0);
  return isAllowed(path, bits) ? undefined : forbidden(path, stats, uid);
}

/** The first folder above that cannot be entered, or is none. */
function blockedOnTheWay(path: string, uid: number | undefined): PathFault | undefined {
  for (const folder of foldersAbove(path)) {
    const stats = lookAt(folder, statSync);
    if (stats === undefined) return undefined;
    if (stats instanceof Error) return { path: folder, error: asFault(folder, stats) };
    if (!stats.isDirectory()) return { path: folder, error: misplaced(folder, 'no folder') };
    if (!isAllowed(folder, constants.X_OK)) {
      const isStrangers = stats.uid !== uid && ownerOf(dirname(folder)) !== uid;
      return {
        ...{ path: folder, error: forbidden(folder, stats, uid) },
        ...(isStrangers ? { keptOutBy: stats.uid } : {}),
      };
    }
  }
  return undefined;
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [path] : [...(dirname(folder) === folder ? [] : foldersAbove(folder)), folder];
}

/** What is there; undefined where nothing is, and what the system says where it does not let anybody see. */
function lookAt(path: string, look: typeof statSync): Stats | Error | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch (error) {
    return error as Error;
  }
}

/** False alone where the mode says no: of a file system that cannot be written, something else is to be said. */
function isAllowed(path: string, bits: number): boolean {
  try {
    accessSync(path, bits);
    return true;
  } catch (error) {
    return !hasErrno(error, 'EACCES') && !hasErrno(error, 'EPERM');
  }
}

function forbidden(path: string, stats: Stats, uid: number | undefined): WritError {
  const isOwn = uid === undefined || stats.uid === uid;
  const mode = (stats.mode & 0o777).toString(8).padStart(3, '0');
  const why = isOwn ? `mode ${mode}` : `it belongs to another user, uid ${stats.uid}`;
  const mend = isOwn ? `chmod u+rw${stats.isDirectory() ? 'x' : ''}` : `sudo chown ${uid}`;
  return unusable(path, `cannot be used by this user (${why})`, `${mend} ${shellWord(path)}`);
}

function misplaced(path: string, is: string): WritError {
  return unusable(path, `is ${is}`, `move ${shellWord(path)} away`);
}

function asFault(path: string, error: Error): WritError {
  if (hasErrno(error, 'ELOOP')) return unusable(path, 'is a link that leads to itself', `move ${shellWord(path)} away`);
  return unusable(path, `cannot be looked at: ${error.message}`, `ls -ld ${shellWord(path)}`);
}

function unusable(path: string, is: string, mend: string): WritError {
  return new WritError('BAD_REQUEST', `${quote(path)} ${is}`, { details: { path }, nextSteps: [mend] });
}
