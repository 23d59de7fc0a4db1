import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Logger, sha256Hex, toWritError } from '@writ/core';
import { namesIn, openExisting } from './kept-files.ts';
import type { TranscriptDigest } from './types.ts';
import type { TranscriptFile } from './workspaces/types.ts';

/** The growing transcript of one attempt. */
export interface TranscriptWriter {
  /**
   * Appends as much of `bytes` as there is room for, in the order of the calls, each to be awaited: so many were kept,
   * from this offset. There is room for so many pieces as well. Never rejects.
   */
  append(bytes: Uint8Array): Promise<{ readonly kept: number; readonly offset: number }>;
  /** Whether bytes were left out for want of room. */
  readonly isCut: boolean;
  /** Why bytes could not be written although there was room for them; undefined: they could. */
  readonly fault: string | undefined;
  /** To be called last: what the transcript holds now; undefined where a part of it could not be written or read. */
  close(): Promise<TranscriptDigest | undefined>;
}

/** One file a task: the bytes of both streams as they came, up to a cap, readable by the node's user only. */
export interface Transcripts {
  /**
   * Has room for the cap, or for `wantedBytes` where that is more. A later attempt goes on where the earlier one ended.
   * No file is made before the first byte.
   */
  writer(task: string, wantedBytes: number): TranscriptWriter;
  read(task: string, offset: number, limit: number): Promise<Uint8Array>;
  /** Calling it twice is harmless. */
  remove(task: string): Promise<void>;
  /** Removes those that were last written before a time and that `mayGo` lets go; returns how many. */
  removeBefore(beforeMs: number, mayGo: (transcript: TranscriptFile) => boolean): Promise<number>;
}

const EXTENSION = '.log';
/** The file of a task with an id of the usual form. */
const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.log$/;
/** So many pieces, and one more for so many bytes of the cap: whoever is told of a piece keeps a row for it. */
const PIECES = 1024;
const PIECE_BYTES = 64;
/** Most bytes that one read returns. */
const LARGEST_READ_BYTES = 16 * 1024 * 1024;

export function createTranscripts(root: string, capBytes: number, logger: Logger): Transcripts {
  return {
    writer: (task, wantedBytes) => createWriter(root, task, Math.max(capBytes, wantedBytes), logger),
    async read(task, offset, limit) {
      const file = await openExisting(fileOf(root, task));
      if (file === undefined) return new Uint8Array();
      try {
        const left = (await file.stat()).size - offset;
        const buffer = Buffer.alloc(Math.max(0, Math.min(limit, left, LARGEST_READ_BYTES)));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    remove: (task) => rm(fileOf(root, task), { force: true }),
    async removeBefore(beforeMs, mayGo) {
      let removed = 0;
      for (const name of await namesIn(root)) {
        const [, task] = NAME.exec(name) ?? [];
        const stat = await lstat(join(root, name)).catch(() => undefined);
        if (!name.endsWith(EXTENSION) || !stat?.isFile() || stat.mtimeMs >= beforeMs) continue;
        if (!mayGo(task === undefined ? {} : { task })) continue;
        await rm(join(root, name), { force: true });
        removed += 1;
      }
      return removed;
    },
  };
}

function createWriter(root: string, task: string, capBytes: number, logger: Logger): TranscriptWriter {
  const path = fileOf(root, task);
  // Counted as it is written, so that nothing has to be read again when the run is over.
  const hash = createHash('sha256');
  let file: FileHandle | undefined;
  let size = 0;
  let pieces = 0;
  let isCut = false;
  let fault: string | undefined;
  const takeUp = async (opened: FileHandle): Promise<FileHandle> => {
    file = opened;
    // What an earlier attempt wrote.
    for await (const chunk of opened.createReadStream({ start: 0, autoClose: false })) {
      hash.update(chunk);
      size += chunk.length;
    }
    return opened;
  };
  const ready = async (): Promise<FileHandle> => {
    if (file !== undefined) return file;
    await mkdir(root, { recursive: true, mode: 0o700 });
    return takeUp(await open(path, constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600));
  };
  const failed = (error: unknown): void => {
    fault ??= toWritError(error).message;
    logger.warn('the transcript cannot be written', { task, error: String(error) });
  };
  return {
    get isCut() {
      return isCut;
    },
    get fault() {
      return fault;
    },
    async append(bytes) {
      if (fault !== undefined) return { kept: 0, offset: size };
      try {
        const target = await ready();
        const offset = size;
        const room = pieces < PIECES + capBytes / PIECE_BYTES ? Math.max(0, capBytes - offset) : 0;
        const kept = bytes.subarray(0, room);
        isCut ||= kept.length < bytes.length;
        await writeAll(target, kept, offset);
        hash.update(kept);
        size = offset + kept.length;
        pieces += 1;
        return { kept: kept.length, offset };
      } catch (error) {
        failed(error);
        return { kept: 0, offset: size };
      }
    },
    async close() {
      try {
        // Nothing was written by this attempt, maybe something by an earlier one.
        const unopened = file === undefined && fault === undefined;
        const earlier = unopened ? await openExisting(path) : undefined;
        if (earlier !== undefined) await takeUp(earlier);
      } catch (error) {
        failed(error);
      }
      await file?.close().catch(failed);
      return fault === undefined ? { sha256: hash.digest('hex'), bytes: size } : undefined;
    },
  };
}

async function writeAll(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
  }
}

/** Task ids come from other nodes: only one of the usual form names a file, any other by its digest. */
function fileOf(root: string, task: string): string {
  const name = `${task}${EXTENSION}`;
  return join(root, NAME.test(name) ? name : `${sha256Hex(task)}${EXTENSION}`);
}
