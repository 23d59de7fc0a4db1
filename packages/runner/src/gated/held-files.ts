import { createHash } from 'node:crypto';
import { constants, mkdirSync, rmSync, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, mkdir, open, readlink, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { hasErrno, isAbsent } from '@writ/core';
import type { HeldFile, HeldFiles, PathFact } from './types.ts';

/** What holds files. */
export interface HeldFilesOptions {
  /** Absolute folder (0700) for private copies, of this node alone; emptied at once. */
  readonly dir: string;
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
export function createHeldFiles({ dir, user }: HeldFilesOptions): HeldFiles {
  let made = 0;
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const newFolder = async (): Promise<string> => {
    made += 1;
    const folder = join(dir, String(made));
    await mkdir(folder, { mode: 0o700 });
    return folder;
  };
  return {
    inspect,
    async hold(path, mostBytes) {
      const real = await orUndefined(realpath(path));
      if (real === undefined) return undefined;
      // A link in place of what was resolved just now is refused, and a pipe does not keep anybody waiting.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const file = await orUndefined(open(real, flags));
      if (file === undefined) return undefined;
      try {
        const found = await file.stat();
        if (!found.isFile() || found.size > mostBytes) return undefined;
        if ((await onlyRootChanges(real, found, user)) && (await isLedByRoot(path))) {
          return await readInPlace(file, { path, real }, mostBytes);
        }
        return await copy(file, join(await newFolder(), basename(path)), mostBytes);
      } finally {
        await file.close();
      }
    },
  };
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

/** A script goes by the name that it is called by. A program is told that name, and what lies beside it is beside the file. */
async function readInPlace(
  file: FileHandle,
  { path, real }: { readonly path: string; readonly real: string },
  mostBytes: number,
): Promise<HeldFile | undefined> {
  const read = await digest(file, mostBytes);
  return read && { ...read, heldPath: read.interpreter === undefined ? real : path, release: async () => undefined };
}

async function copy(file: FileHandle, heldPath: string, mostBytes: number): Promise<HeldFile | undefined> {
  const release = (): Promise<void> => rm(dirname(heldPath), { recursive: true, force: true });
  try {
    const target = await open(heldPath, 'wx', 0o700);
    try {
      const read = await digest(file, mostBytes, target);
      if (read !== undefined) return { ...read, heldPath, release };
    } finally {
      await target.close();
    }
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  return undefined;
}

/** Hashes a file on its way into a copy, so that the copy is what was hashed. */
async function digest(
  file: FileHandle,
  mostBytes: number,
  target?: FileHandle,
): Promise<Pick<HeldFile, 'sha256' | 'sizeBytes' | 'interpreter'> | undefined> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let interpreter: HeldFile['interpreter'];
  let sizeBytes = 0;
  for (;;) {
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
