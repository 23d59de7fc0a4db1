import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quote, type Random, WritError } from '@writ/core';

/** Bits of a mode that let anybody but the owner in. */
const OTHERS = 0o077;

/**
 * Makes `dir` (and its parents) with mode 0700, or checks the one that is there.
 * Throws HOME_INSECURE with the command that mends it where others can enter, or where it belongs to another user.
 */
export function ensurePrivateDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  assertPrivate(dir);
}

/** Throws HOME_INSECURE where `path` belongs to somebody else or others can read or enter it. */
export function assertPrivate(path: string): void {
  const stat = lstatSync(path);
  const uid = process.getuid?.();
  if (uid !== undefined && stat.uid !== uid) {
    throw new WritError('HOME_INSECURE', `${quote(path)} belongs to another user (uid ${stat.uid})`, {
      nextSteps: [`chown ${uid} ${shellWord(path)}`],
    });
  }
  if ((stat.mode & OTHERS) !== 0) {
    const mode = stat.isDirectory() ? '700' : '600';
    throw new WritError(
      'HOME_INSECURE',
      `${quote(path)} can be read by others (mode ${(stat.mode & 0o777).toString(8)})`,
      {
        nextSteps: [`chmod ${mode} ${shellWord(path)}`],
      },
    );
  }
}

/** Writes a whole file with mode 0600 by rename: a reader sees the old or the new one, never half of one. */
export function writePrivateFile(path: string, data: string | Uint8Array, random: Random): void {
  const temporary = join(dirname(path), `.${random.uuid()}.tmp`);
  try {
    writeFileSync(temporary, data, { mode: 0o600, flag: 'wx', flush: true });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** `path` as one word of a POSIX shell. */
function shellWord(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
