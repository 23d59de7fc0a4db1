import { chmodSync, constants, lstatSync, mkdirSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { quote, type Random, WritError } from '@writ/core';

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
/** Mode bits of everybody but the owner. */
const OTHERS = 0o077;

/** Makes `dir` with mode 0700, or throws HOME_INSECURE where it exists and others may enter it. */
export function ensurePrivateDirectory(dir: string): void {
  if (mkdirSync(dir, { recursive: true, mode: DIRECTORY_MODE }) !== undefined) {
    // A umask may have taken the owner's bits too.
    chmodSync(dir, DIRECTORY_MODE);
  }
  const stat = lstatSync(dir);
  if (!stat.isDirectory()) throw new WritError('HOME_INSECURE', `${quote(dir)} is not a directory`);
  refuseOpenMode(dir, stat.mode, '700');
}

/** Text of a regular file of mode 0600 or less, or undefined where there is none; throws HOME_INSECURE. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (cause) {
    if (hasErrno(cause, 'ENOENT')) return undefined;
    if (hasErrno(cause, 'ELOOP')) throw new WritError('HOME_INSECURE', `${quote(path)} is a symbolic link`, { cause });
    throw cause;
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new WritError('HOME_INSECURE', `${quote(path)} is not a regular file`);
    refuseOpenMode(path, stat.mode, '600');
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

async function writeTemporary(path: string, text: string, random: Random): Promise<string> {
  const temporary = `${path}.${Buffer.from(random.bytes(8)).toString('hex')}.tmp`;
  const handle = await open(temporary, 'wx', FILE_MODE);
  try {
    await handle.chmod(FILE_MODE);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}

/** Without this a rename may be lost with the power. */
async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function refuseOpenMode(path: string, mode: number, wanted: string): void {
  if ((mode & OTHERS) === 0) return;
  throw new WritError(
    'HOME_INSECURE',
    `${quote(path)} can be reached by other users (mode ${(mode & 0o777).toString(8)})`,
    {
      details: { path },
      nextSteps: [`chmod ${wanted} ${shellWord(path)}`],
    },
  );
}

/** `text` as one word for a shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function hasErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
