import { constants, createWriteStream } from 'node:fs';
import { mkdir, open, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { hasErrno, quote, type Random } from '@writ/core';
import { inFolder, listFolder, MOST_NESTED, noFollow, type OpenFolder } from './beneath.ts';
import { below, isGitName } from './tree-walk.ts';

const NAME_BYTES = 16;
const { O_RDONLY, O_NONBLOCK } = constants;

export interface CopyRequest {
  /** Real, absolute path of files that somebody may be changing meanwhile, with intent. */
  readonly from: string;
  /** Absolute directory of the node's own, made (0700) where it is missing. */
  readonly root: string;
  readonly platform: NodeJS.Platform;
  readonly random: Random;
  readonly limits: { readonly maxEntries: number; readonly maxFileBytes: number; readonly maxTotalBytes: number };
}

/** Files that nobody changes but this node. */
export interface PrivateCopy {
  /** Real, absolute path. */
  readonly dir: string;
  remove(): Promise<void>;
}

interface Copying extends CopyRequest {
  entries: number;
  bytes: number;
}

/**
 * Copies files, folders and links below a folder, ignored ones too, without following a link on the way, also one that
 * is swapped in meanwhile. Of a git directory nothing comes along but the index of the topmost. Throws where a limit is
 * passed or something cannot be read, with nothing left.
 */
export async function copyPrivately(request: CopyRequest): Promise<PrivateCopy> {
  await mkdir(request.root, { recursive: true, mode: 0o700 });
  const name = `git-copy-${Buffer.from(request.random.bytes(NAME_BYTES)).toString('hex')}`;
  const dir = join(await realpath(request.root), name);
  const remove = (): Promise<void> => rm(dir, { recursive: true, force: true, maxRetries: 3 });
  try {
    await mkdir(dir, { mode: 0o700 });
    const copying = { ...request, entries: 0, bytes: 0 };
    await inFolder(copying.platform, request.from, (source) => copyFolder(copying, source, Buffer.from(dir), 0));
    return { dir, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function copyFolder(copying: Copying, source: OpenFolder, to: Buffer, depth: number): Promise<void> {
  if (depth > MOST_NESTED) throw new Error(`there are more than ${MOST_NESTED} folders inside each other`);
  const entries = await listFolder(source);
  copying.entries += entries.length;
  if (copying.entries > copying.limits.maxEntries) {
    throw new Error(`there are more than ${copying.limits.maxEntries} files and folders`);
  }
  for (const entry of entries) {
    const [from, target] = [below(source.path, entry.name), below(to.toString('latin1'), entry.name)];
    if (isGitName(entry.name)) await copyGit(copying, { from, entry }, target, depth === 0);
    else if (entry.isDirectory()) {
      await mkdir(target, { mode: 0o700 });
      await inFolder(copying.platform, from, (folder) => copyFolder(copying, folder, target, depth + 1));
    } else if (entry.isSymbolicLink()) await symlink(await readlink(from, { encoding: 'buffer' }), target);
    else if (entry.isFile()) await copyFile(copying, from, target);
  }
}

/** Something called `.git`: its place, so that it is judged by that, and the index of the one on top. */
async function copyGit(
  copying: Copying,
  { from, entry }: { readonly from: Buffer; readonly entry: { readonly name: Buffer; isDirectory(): boolean } },
  target: Buffer,
  isTop: boolean,
): Promise<void> {
  const isOwn = isTop && entry.name.toString('latin1') === '.git';
  if (isOwn && !entry.isDirectory()) throw new Error('the `.git` of the workspace is no folder: it leads elsewhere');
  await mkdir(target, { mode: 0o700 });
  if (!isOwn) return;
  const index = Buffer.from('index');
  await inFolder(copying.platform, from, async ({ path }) => {
    try {
      await copyFile(copying, below(path, index), below(target.toString('latin1'), index));
    } catch (error) {
      if (!hasErrno(error, 'ENOENT')) throw error;
    }
  });
}

async function copyFile(copying: Copying, from: Buffer, target: Buffer): Promise<void> {
  const { limits, platform } = copying;
  const file = await open(from, O_RDONLY | O_NONBLOCK | noFollow(platform));
  try {
    const stat = await file.stat();
    const name = quote(target.subarray(target.lastIndexOf('/') + 1).toString());
    if (!stat.isFile()) throw new Error(`${name} is no file any more`);
    if (stat.size > limits.maxFileBytes) throw new Error(`${name} is larger than ${limits.maxFileBytes} bytes`);
    copying.bytes += stat.size;
    if (copying.bytes > limits.maxTotalBytes) {
      throw new Error(`the files are larger than ${limits.maxTotalBytes} bytes`);
    }
    const written = createWriteStream(target, { mode: (stat.mode & 0o100) === 0 ? 0o600 : 0o700, flags: 'wx' });
    // Not further than it was long: it may be growing.
    const content = stat.size === 0 ? [] : file.createReadStream({ autoClose: false, end: stat.size - 1 });
    await pipeline(content, written);
  } finally {
    await file.close();
  }
}
