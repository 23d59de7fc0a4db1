import { chmodSync, closeSync, fchmodSync, lstatSync, mkdirSync, openSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { isErrnoException } from './errno.ts';
import { insecureHome } from './errors.ts';

/** Bits that let group or others do anything. */
const OTHERS = 0o077;

/**
 * Makes `path` an existing file of mode 0600 in a directory of mode 0700, both this user's, before anything is put in.
 * Throws HOME_INSECURE, with the command that mends it, where something there is accessible to anybody else; what is
 * already there is never changed, because a mode that was open has perhaps been used.
 */
export function ensurePrivateFile(path: string): void {
  ensurePrivateDirectory(dirname(path));
  try {
    const fd = openSync(path, 'wx', 0o600);
    try {
      // The process's umask may have taken bits away.
      fchmodSync(fd, 0o600);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!isErrnoException(error, 'EEXIST')) throw error;
    // Looked at, never opened: closing any descriptor of a file drops every POSIX lock this process holds on it,
    // SQLite's among them.
    checkPrivate(path, lstatSync(path), 'file');
  }
}

/** Sets mode 0600 on the files that SQLite makes beside the database; their absence is no error. */
export function tightenSideFiles(path: string): void {
  for (const side of [`${path}-wal`, `${path}-shm`]) {
    try {
      chmodSync(side, 0o600);
    } catch (error) {
      if (!isErrnoException(error, 'ENOENT')) throw error;
    }
  }
}

function ensurePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  checkPrivate(directory, lstatSync(directory), 'directory');
}

function checkPrivate(path: string, stats: Stats, expected: 'file' | 'directory'): void {
  if (expected === 'file' ? !stats.isFile() : !stats.isDirectory()) {
    throw insecureHome(path, `is no plain ${expected}`, `move ${path} away`);
  }
  if (stats.uid !== process.geteuid?.()) {
    throw insecureHome(path, 'belongs to another user', `use a home of your own, or chown ${path} to this user`);
  }
  if ((stats.mode & OTHERS) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    const mend = `chmod ${expected === 'file' ? '600' : '700'} ${path}`;
    throw insecureHome(path, `is open to other users (mode ${mode})`, mend);
  }
}
