import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, quote, WritError } from '@writ/core';
import type { TranscriptMirror } from '../types.ts';

/** Task ids become file names; nothing else does. */
const TASK_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** Keeps transcripts as files (mode 0600) named by task in `dir` (mode 0700, made when needed). */
export function createFileTranscripts(dir: string): TranscriptMirror {
  function pathOf(task: string): string {
    if (!TASK_ID.test(task)) throw new WritError('BAD_REQUEST', `${quote(task)} is no task id`);
    return join(dir, `${task}.log`);
  }

  async function openForWriting(path: string): Promise<FileHandle> {
    try {
      return await open(path, 'r+', 0o600);
    } catch (error) {
      if (!hasErrno(error, 'ENOENT')) throw error;
    }
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const file = await open(path, 'a', 0o600);
    await file.close();
    return open(path, 'r+', 0o600);
  }

  return {
    // The same bytes at the same place are the same file, however often they come.
    async write(task, offset, data) {
      const file = await openForWriting(pathOf(task));
      try {
        for (let done = 0; done < data.length; ) {
          const { bytesWritten } = await file.write(data, done, data.length - done, offset + done);
          done += bytesWritten;
        }
      } finally {
        await file.close();
      }
    },
    async read(task, offset, limit) {
      let file: FileHandle;
      try {
        file = await open(pathOf(task), 'r');
      } catch (error) {
        if (hasErrno(error, 'ENOENT')) return new Uint8Array(0);
        throw error;
      }
      try {
        const left = Math.max(0, (await file.stat()).size - offset);
        const buffer = Buffer.alloc(Math.min(limit, left));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    remove: (task) => rm(pathOf(task), { force: true }),
  };
}
