import { createHash } from 'node:crypto';
import { constants, statSync, unlinkSync } from 'node:fs';
import { access, chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrno, quote, type Random, sha256Hex, syncDirectory, WritError } from '@writ/core';
import type { ContentStore, Stored } from './types.ts';

const DIGEST = /^[0-9a-f]{64}$/;

/** A content store in `dir` (made with mode 0700), each file 0600 and named by its own digest. */
export function createContentStore(options: { readonly dir: string; readonly random: Random }): ContentStore {
  const { dir, random } = options;
  const pathFor = (sha256: string): string => {
    if (!DIGEST.test(sha256)) throw new WritError('BAD_REQUEST', `${quote(sha256)} is no digest`);
    return join(dir, sha256.slice(0, 2), sha256);
  };
  const put = async (content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Stored> => {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const temporary = join(dir, `${Buffer.from(random.bytes(16)).toString('hex')}.tmp`);
    try {
      const stored = await copyInto(temporary, content, maxBytes);
      const path = pathFor(stored.sha256);
      const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(temporary, path);
      // A row that names it is committed next, and must not outlive it.
      await syncDirectory(dirname(path));
      if (made !== undefined) await syncDirectory(dir);
      return stored;
    } finally {
      await rm(temporary, { force: true });
    }
  };
  const read: ContentStore['read'] = async (sha256, offset, limit) => {
    const file = await openStored(pathFor(sha256));
    if (file === undefined) return undefined;
    try {
      const { size } = await file.stat();
      const bytes = Buffer.alloc(Math.max(0, Math.min(limit, size - offset)));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      return new Uint8Array(bytes.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  };
  return {
    put,
    putBytes: (content) => put(once(content), content.length),
    read,
    async load(sha256, maxBytes) {
      const bytes = await read(sha256, 0, maxBytes + 1);
      if (bytes === undefined) throw notFound(sha256);
      if (bytes.length > maxBytes || sha256Hex(bytes) !== sha256) {
        throw new WritError('EVIDENCE_INVALID', `what is stored as ${sha256} is something else`);
      }
      return bytes;
    },
    async pathOf(sha256) {
      const path = pathFor(sha256);
      await access(path).catch(() => {
        throw notFound(sha256);
      });
      return path;
    },
    remove: (sha256) => rm(pathFor(sha256), { force: true }),
    async renew(sha256, bytes) {
      const path = pathFor(sha256);
      try {
        // The system notes when; content that goes meanwhile is not there afterwards.
        await chmod(path, 0o600);
        return (await stat(path)).size === bytes;
      } catch (error) {
        if (hasErrno(error, 'ENOENT')) return false;
        throw error;
      }
    },
    // In one turn: nobody stores it, or finds that it is there, in between.
    removeUnused(sha256, beforeMs, isNamed) {
      const path = pathFor(sha256);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined) return true;
      if (found.ctimeMs >= beforeMs || isNamed()) return false;
      unlinkSync(path);
      return true;
    },
  };
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

async function copyInto(path: string, content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Stored> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.chmod(0o600);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of content) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new WritError('EVIDENCE_FAILED', `something to store is larger than ${maxBytes} bytes`);
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
    return { sha256: hash.digest('hex'), bytes };
  } finally {
    await file.close();
  }
}

async function openStored(path: string): Promise<Awaited<ReturnType<typeof open>> | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function notFound(sha256: string): WritError {
  return new WritError('NOT_FOUND', `nothing is stored as ${sha256}`);
}
