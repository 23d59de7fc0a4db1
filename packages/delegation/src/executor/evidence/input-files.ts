import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, isWritError, quote, type Random, WritError } from '@writ/core';
import { type ContentStore, createContentStore, type Stored } from '@writ/evidence';

const SENDER = /^[a-z0-9-]{1,64}$/;

/** One file of a sender; its time is when it came or was last asked for. */
export interface InputFile {
  readonly sender: string;
  /** Its name; the digest of a whole one. */
  readonly sha256: string;
  readonly path: string;
  readonly bytes: number;
  readonly atMs: number;
}

/** Bundles on disk, in a folder for each sender. */
export interface InputFiles {
  /** Path of a bundle of this size; its time is `nowMs` then. */
  find(sender: string, bundle: Stored, nowMs: number): Promise<string | undefined>;
  /** Takes it in; nothing is kept of what is not as announced. Throws EVIDENCE_INVALID. */
  put(sender: string, bundle: Stored, data: AsyncIterable<Uint8Array>, nowMs: number): Promise<void>;
  /** All of them. What an upload that broke off has left is one of them. */
  list(): Promise<readonly InputFile[]>;
  remove(file: InputFile): Promise<void>;
}

export function createInputFiles(root: string, random: Random): InputFiles {
  const storeOf = (sender: string): ContentStore => {
    if (!SENDER.test(sender)) throw new WritError('BAD_REQUEST', `${quote(sender)} is no sender`);
    return createContentStore({ dir: join(root, sender), random });
  };
  const touch = (path: string, nowMs: number): Promise<void> => utimes(path, nowMs / 1000, nowMs / 1000);
  return {
    async find(sender, bundle, nowMs) {
      try {
        const path = await storeOf(sender).pathOf(bundle.sha256);
        await touch(path, nowMs);
        return (await stat(path)).size === bundle.bytes ? path : undefined;
      } catch (error) {
        if (isWritError(error, 'NOT_FOUND') || hasErrno(error, 'ENOENT')) return undefined;
        throw error;
      }
    },
    async put(sender, bundle, data, nowMs) {
      const store = storeOf(sender);
      const stored = await store.put(data, bundle.bytes).catch((error) => {
        throw isWritError(error, 'EVIDENCE_FAILED') ? notAsAnnounced('it is longer', error) : error;
      });
      if (stored.sha256 !== bundle.sha256 || stored.bytes !== bundle.bytes) {
        await store.remove(stored.sha256);
        throw notAsAnnounced(stored.bytes === bundle.bytes ? 'it is something else' : 'it is shorter');
      }
      await touch(await store.pathOf(stored.sha256), nowMs);
    },
    list: () => filesIn(root),
    remove: ({ path }) => rm(path, { force: true }),
  };
}

async function filesIn(root: string): Promise<readonly InputFile[]> {
  const names = await readdir(root, { recursive: true }).catch((error) => {
    if (hasErrno(error, 'ENOENT')) return [];
    throw error;
  });
  const files: InputFile[] = [];
  for (const name of names) {
    const path = join(root, name);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile()) continue;
    const parts = name.split('/');
    files.push({ sender: parts[0] ?? '', sha256: parts.at(-1) ?? '', path, bytes: found.size, atMs: found.mtimeMs });
  }
  return files;
}

function notAsAnnounced(what: string, cause?: unknown): WritError {
  return new WritError('EVIDENCE_INVALID', `the bundle is not what was announced: ${what}`, {
    details: { check: 'bundle' },
    ...(cause === undefined ? {} : { cause }),
  });
}
