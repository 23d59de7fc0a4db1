import { chmodSync, closeSync, fchmodSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { assertPrivateFile, ensurePrivateDirectory, hasErrno } from '@writ/core';

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
    if (!hasErrno(error, 'EEXIST')) throw error;
    // Looked at, never opened: closing any descriptor of a file drops every POSIX lock this process holds on it,
    // SQLite's among them.
    assertPrivateFile(path);
  }
}

/** Sets mode 0600 on the files that SQLite makes beside the database; their absence is no error. */
export function tightenSideFiles(path: string): void {
  for (const side of [`${path}-wal`, `${path}-shm`]) {
    try {
      chmodSync(side, 0o600);
    } catch (error) {
      if (!hasErrno(error, 'ENOENT')) throw error;
    }
  }
}
