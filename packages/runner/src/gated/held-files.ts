import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { hasErrno, isAbsent, WritError } from '@writ/core';
import { createHeldPlace } from './held-place.ts';
import type { NewPlace } from './new-place.ts';
import type { ScriptPlace } from './script-place.ts';
import type { HeldFile, HeldFiles, PathFact } from './types.ts';

/** What holds files. */
export interface HeldFilesOptions {
  /** Absolute folders (0700) for private copies, of this node alone: the first that can be written to counts, where nobody else can move it, and is emptied at once. */
  readonly dirs: readonly string[];
  /** Where copies of what is no program of the machine lie instead, while there is room; absent: nowhere. */
  readonly scripts?: ScriptPlace;
  /** User id that this node runs under; undefined where there are none. */
  readonly user: number | undefined;
}

const ROOT = 0;
/** Bits of a mode that let others than the owner write. */
const OTHERS_WRITE = 0o022;
const CHUNK_BYTES = 256 * 1024;
/** Longest first line of a script that the kernel reads, bytes. */
const LONGEST_FIRST_LINE = 256;

/**
 * Reads files so that what was hashed is what runs: by a private copy, under the name that it was called by in a folder of its own. A file
 * that only the superuser could have changed is left where it is, which keeps what a copy would lose (set-user-id,
 * capabilities, what it looks for beside itself); a node that is the superuser itself copies those too.
 */
export function createHeldFiles({ dirs, scripts, user }: HeldFilesOptions): HeldFiles {
  const place = createHeldPlace(dirs, user);
  return {
    inspect,
    hold: (path, mostBytes) =>
      withFile(path, mostBytes, async (open) => {
        if (await staysInPlace(path, open, user)) return await readInPlace(open, path, { mostBytes });
        const { file, found } = open;
        const ofScript = (await isProgram(file)) ? undefined : await scripts?.make(path, found.size);
        // Where it gets full meanwhile, the other place is tried.
        const held = ofScript && (await copy(file, ofScript, mostBytes).catch(() => undefined));
        return held ?? (await copy(file, await place.make(path), mostBytes));
      }),
    read: (path, mostBytes, signal) =>
      withFile(path, mostBytes, async (open) => {
        const read = await readInPlace(open, path, { mostBytes, signal });
        return read && { ...read, leavesPlace: !(await staysInPlace(path, open, user)) };
      }),
  };
}

async function staysInPlace(
  path: string,
  { real, found }: Pick<OpenFile, 'real' | 'found'>,
  user: number | undefined,
): Promise<boolean> {
  return (await onlyRootChanges(real, found, user)) && (await isLedByRoot(path));
}

/** How programs begin that the machine runs by itself: ELF, and those of macOS. Anything else is for something that reads it. */
const PROGRAMS: ReadonlySet<string> = new Set(['7f454c46', 'cffaedfe', 'cefaedfe', 'cafebabe']);

async function isProgram(file: FileHandle): Promise<boolean> {
  const head = Buffer.alloc(4);
  await file.read(head, 0, head.length, 0);
  return PROGRAMS.has(head.toString('hex'));
}

interface OpenFile {
  readonly file: FileHandle;
  readonly real: string;
  readonly found: Stats;
}

/** Undefined: it is larger than `mostBytes`, by what it says of itself, or no file. */
async function withFile(
  path: string,
  mostBytes: number,
  use: (open: OpenFile) => Promise<HeldFile | undefined>,
): Promise<HeldFile | undefined> {
  const real = await orUndefined(realpath(path));
  if (real === undefined) return undefined;
  // A link in place of what was resolved just now is refused, and a pipe does not keep anybody waiting.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await orUndefined(open(real, flags));
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > mostBytes) return undefined;
    return await use({ file, real, found });
  } finally {
    await file.close();
  }
}

async function inspect(path: string): Promise<PathFact | undefined> {
  const found = await orUndefined(stat(path, { bigint: true }));
  const realPath = found && (await orUndefined(realpath(path)));
  if (found === undefined || realPath === undefined) return undefined;
  const executable = await orUndefined(access(path, constants.X_OK).then(() => true));
  return {
    kind: found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other',
    realPath,
    device: String(found.dev),
    inode: String(found.ino),
    born: String(found.birthtimeNs),
    sizeBytes: Number(found.size),
    isExecutable: executable === true,
  };
}

/** True where neither this node's user nor any other but the superuser could put something else in its place. */
async function onlyRootChanges(path: string, file: Stats, user: number | undefined): Promise<boolean> {
  if (user === undefined || user === ROOT) return false;
  return isRoots(file) && (await areFoldersRoots(dirname(path)));
}

const isRoots = ({ uid, mode }: Stats): boolean => uid === ROOT && (mode & OTHERS_WRITE) === 0;

async function areFoldersRoots(from: string): Promise<boolean> {
  for (let place = from; ; place = dirname(place)) {
    const found = await orUndefined(lstat(place));
    if (found === undefined || !found.isDirectory() || !isRoots(found)) return false;
    if (place === dirname(place)) return true;
  }
}

/** As many links as Linux follows. */
const MOST_LINKS = 40;

/** True where every link that a path is, one behind the other, lies in a folder that only the superuser changes. */
async function isLedByRoot(path: string): Promise<boolean> {
  let at = path;
  for (let links = 0; links < MOST_LINKS; links += 1) {
    const folder = await orUndefined(realpath(dirname(at)));
    if (folder === undefined || !(await areFoldersRoots(folder))) return false;
    const to = await orUndefined(readlink(join(folder, basename(at))).catch(notALink));
    if (to === undefined) return true;
    at = resolve(folder, to);
  }
  return false;
}

function notALink(error: unknown): undefined {
  if (hasErrno(error, 'EINVAL')) return undefined;
  throw error;
}

/** What bounds a look at a file. */
interface Reading {
  readonly mostBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** What is read is written there too. */
  readonly target?: FileHandle;
}

/** A script goes by the name that it is called by. A program is told that name, and what lies beside it is beside the file. */
async function readInPlace(
  { file, real }: Pick<OpenFile, 'file' | 'real'>,
  path: string,
  reading: Reading,
): Promise<HeldFile | undefined> {
  const read = await digest(file, reading);
  const heldPath = read?.interpreter === undefined ? real : path;
  return read && { ...read, heldPath, isCopy: false, leavesPlace: false, release: async () => undefined };
}

async function copy(file: FileHandle, { path, remove }: NewPlace, mostBytes: number): Promise<HeldFile | undefined> {
  try {
    const target = await open(path, 'wx', 0o700);
    try {
      const read = await digest(file, { mostBytes, target });
      if (read !== undefined) return { ...read, heldPath: path, isCopy: true, leavesPlace: true, release: remove };
    } finally {
      await target.close();
    }
  } catch (error) {
    await remove();
    throw error;
  }
  await remove();
  return undefined;
}

/** Hashes a file on its way into a copy, so that the copy is what was hashed. */
async function digest(
  file: FileHandle,
  { mostBytes, signal, target }: Reading,
): Promise<Pick<HeldFile, 'sha256' | 'sizeBytes' | 'interpreter'> | undefined> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let interpreter: HeldFile['interpreter'];
  let sizeBytes = 0;
  for (;;) {
    if (signal?.aborted) throw new WritError('CANCELLED', 'nobody waits for the command any more');
    const { bytesRead } = await file.read(buffer, 0, buffer.length, sizeBytes);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    if (sizeBytes === 0) interpreter = interpreterOf(chunk);
    sizeBytes += bytesRead;
    if (sizeBytes > mostBytes) return undefined;
    hash.update(chunk);
    // Whole, whatever a single call takes.
    await target?.writeFile(chunk);
  }
  return { sha256: hash.digest('hex'), sizeBytes, ...(interpreter === undefined ? {} : { interpreter }) };
}

/** What the kernel would run for a script: `#!`, a path, and all that follows it as one argument. */
function interpreterOf(head: Buffer): HeldFile['interpreter'] {
  const [line = ''] = head.subarray(0, LONGEST_FIRST_LINE).toString('latin1').split('\n');
  const words = /^#![ \t]*(\/[^ \t]*)[ \t]*(.*?)[ \t]*$/.exec(line);
  const [, path, argument = ''] = words ?? [];
  return path === undefined ? undefined : { path, ...(argument === '' ? {} : { argument }) };
}

/** What is not there, or may not be looked at, is undefined; a fault that passes, such as too many open files, is thrown. */
function orUndefined<T>(looking: Promise<T>): Promise<T | undefined> {
  return looking.catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
}
