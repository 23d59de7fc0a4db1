import { chmod, lstat, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { ensurePrivateDirectory, isWritError, quote, WritError } from '@writ/core';

/** Longest path that every system's socket address holds, bytes. */
const LONGEST_PATH_BYTES = 103;

/** Nobody but the owner. */
const PRIVATE_UMASK = 0o077;

/**
 * Binds `server` to a Unix socket that only this user can connect to, at every moment: the folder is closed to others
 * before the socket exists, and the socket is made under a closed umask and then set to 0600. A socket that a dead
 * node left is replaced. Throws ALREADY_RUNNING, HOME_INSECURE, CONFLICT and BAD_REQUEST (path too long).
 */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > LONGEST_PATH_BYTES) {
    throw new WritError('BAD_REQUEST', `the socket path ${quote(path)} is longer than ${LONGEST_PATH_BYTES} bytes`, {
      nextSteps: ['set WRIT_HOME to a shorter path'],
    });
  }
  ensurePrivateDirectory(dirname(path));
  await removeStale(path);
  await bind(server, path);
  await chmod(path, 0o600);
}

/** Takes away what a node that was killed left; never a socket that answers, never anything that is no socket. */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) throw new WritError('CONFLICT', `${quote(path)} is there and is no socket`);
  if (await answers(path)) {
    throw new WritError('ALREADY_RUNNING', `a node already listens on ${quote(path)}`, { nextSteps: ['writ status'] });
  }
  await rm(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error): void => reject(bindError(cause, path));
    server.once('error', failed);
    // `listen` binds before it returns, so nothing else of this process runs under the closed umask.
    const before = process.umask(PRIVATE_UMASK);
    try {
      server.listen(path, () => {
        server.off('error', failed);
        resolve();
      });
    } finally {
      process.umask(before);
    }
  });
}

function bindError(cause: Error, path: string): WritError {
  if (isWritError(cause)) return cause;
  const inUse = 'code' in cause && cause.code === 'EADDRINUSE';
  const code = inUse ? 'ALREADY_RUNNING' : 'INTERNAL';
  return new WritError(code, inUse ? `a node already listens on ${quote(path)}` : cause.message, { cause });
}
