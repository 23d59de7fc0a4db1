import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrno } from './errno.ts';
import { WritError } from './errors.ts';
import type { Random } from './random.ts';
import { quote, shellWord } from './text.ts';
import { findUnwritable } from './writable.ts';

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
/** Mode bits of everybody but the owner. */
const OTHERS = 0o077;

/** Makes `dir` with mode 0700, or throws HOME_INSECURE where it exists and others may enter it. */
export function ensurePrivateDirectory(dir: string): void {
  if (makeDirectory(dir)) {
    // A umask may have taken the owner's bits too.
    chmodSync(dir, DIRECTORY_MODE);
  }
  refuseOpen(dir, lstatSync(dir), 'directory');
}

/** True where it was made; throws BAD_REQUEST where something else is in the way. */
function makeDirectory(dir: string): boolean {
  try {
    return mkdirSync(dir, { recursive: true, mode: DIRECTORY_MODE }) !== undefined;
  } catch (cause) {
    // What the system says of a read-only file system depends on the call.
    const unwritable = findUnwritable(dir);
    if (unwritable !== undefined) throw unwritable;
    throw new WritError('BAD_REQUEST', `cannot make the folder ${quote(dir)}: ${(cause as Error).message}`, {
      nextSteps: ['name a folder that can be made there'],
      cause,
    });
  }
}

/** Throws HOME_INSECURE, with the command that mends it, where `path` is no plain file that only this user reaches. */
export function assertPrivateFile(path: string): void {
  refuseOpen(path, lstatSync(path), 'file');
}

/** Text of a regular file of mode 0600 or less, or undefined where there is none; throws HOME_INSECURE. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (cause) {
    if (hasErrno(cause, 'ENOENT')) return undefined;
    if (hasErrno(cause, 'ELOOP')) throw insecure(path, 'is a symbolic link', `move ${shellWord(path)} away`);
    throw cause;
  }
  try {
    refuseOpen(path, await handle.stat(), 'file');
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Replaces `path` in one step by a file of mode 0600; after a crash the old or the new text is there. */
export async function replacePrivateFile(path: string, text: string, random: Random): Promise<void> {
  const temporary = await writeTemporary(path, text, random);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Of a file that others write too: what was read of it, and what is to be there; undefined is no file. */
export interface FileChange {
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Of the new file; absent: 0600. */
  readonly mode?: number;
}

/**
 * Like `replacePrivateFile`, but false, and nothing is changed, where `path` holds something else than `before` by now.
 * The last look and the change are one after the other with nothing of this process between them.
 */
export async function replaceIfSame(path: string, change: FileChange, random: Random): Promise<boolean> {
  const { before, after, mode } = change;
  const temporary = after === undefined ? undefined : await writeTemporary(path, after, random, mode);
  try {
    if (!holds(path, before)) return false;
    if (temporary === undefined) rmSync(path, { force: true });
    else renameSync(temporary, path);
  } finally {
    if (temporary !== undefined) await rm(temporary, { force: true });
  }
  await syncDirectory(dirname(path));
  return true;
}

/** Whether `path` is a plain file of exactly this text, or nothing; opened without waiting, since a pipe may be there now. */
function holds(path: string, text: string | undefined): boolean {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return text === undefined;
    throw error;
  }
  try {
    if (text === undefined) return false;
    const expected = Buffer.from(text);
    const stats = fstatSync(file);
    return stats.isFile() && stats.size === expected.length && readFileSync(file).equals(expected);
  } finally {
    closeSync(file);
  }
}

/** Like `replacePrivateFile`, but false, and nothing is changed, where `path` exists. */
export async function createPrivateFile(path: string, text: string, random: Random): Promise<boolean> {
  const temporary = await writeTemporary(path, text, random);
  try {
    await link(temporary, path);
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncDirectory(dirname(path));
  return true;
}

async function writeTemporary(path: string, text: string, random: Random, mode = FILE_MODE): Promise<string> {
  const temporary = `${path}.${Buffer.from(random.bytes(8)).toString('hex')}.tmp`;
  const handle = await open(temporary, 'wx', FILE_MODE);
  try {
    await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    // Where the disk is full there is room for its name alone.
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return temporary;
}

/** Makes what was renamed or made in a folder outlast the power. */
export async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function refuseOpen(path: string, stats: Stats, expected: Expected): void {
  const exposure = exposureOf(path, stats, expected, process.geteuid?.());
  if (exposure !== undefined) throw exposure;
}

type Expected = 'file' | 'directory';

/**
 * What keeps `path` from being a plain file or folder that only `uid` reaches, as HOME_INSECURE with the command that mends it;
 * undefined where nothing does, and where nothing is there.
 */
export function findExposure(path: string, expected: Expected, uid: number | undefined): WritError | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : exposureOf(path, stats, expected, uid);
}

/** What is there is never changed: a mode that was open has perhaps been used. */
function exposureOf(path: string, stats: Stats, expected: Expected, uid: number | undefined): WritError | undefined {
  if (expected === 'file' ? !stats.isFile() : !stats.isDirectory()) {
    return insecure(path, `is no plain ${expected}`, `move ${shellWord(path)} away`);
  }
  if (uid !== undefined && stats.uid !== uid) {
    return insecure(path, `belongs to another user (uid ${stats.uid})`, `sudo chown ${uid} ${shellWord(path)}`);
  }
  if ((stats.mode & OTHERS) !== 0) {
    const why = `can be reached by other users (mode ${(stats.mode & 0o777).toString(8)})`;
    return insecure(path, why, `chmod ${expected === 'file' ? '600' : '700'} ${shellWord(path)}`);
  }
  return undefined;
}

function insecure(path: string, why: string, mend: string): WritError {
  return new WritError('HOME_INSECURE', `${quote(path)} ${why}`, {
    details: { path },
    nextSteps: [mend, 'if others may have read it, treat the keys in it as known'],
  });
}
