import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { hasErrno, quote, WritError } from '@writ/core';

/** A file that is read and written at places; what is written twice at one place is the same. */
export interface PositionalFile {
  /** Bytes from `offset` on, at most `length`, fewer at the end. */
  read(offset: number, length: number): Promise<Buffer>;
  write(offset: number, bytes: Uint8Array): Promise<void>;
  sizeBytes(): Promise<number>;
  truncate(sizeBytes: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a file of mode 0600 for reading and writing, or with `mode` `read` for reading; made where it is missing unless it
 * is only read. Throws HOME_INSECURE for a link, ENOENT where there is nothing to read.
 */
export async function openPositional(path: string, mode: 'read' | 'write'): Promise<PositionalFile> {
  const flags = mode === 'read' ? constants.O_RDONLY : constants.O_RDWR | constants.O_CREAT;
  const handle = await openPlain(path, flags | constants.O_NOFOLLOW);
  return {
    read: (offset, length) => readAt(handle, offset, length),
    async write(offset, bytes) {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done);
        done += bytesWritten;
      }
    },
    sizeBytes: async () => (await handle.stat()).size,
    truncate: (sizeBytes) => handle.truncate(sizeBytes),
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

async function openPlain(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags, 0o600);
  } catch (cause) {
    if (!hasErrno(cause, 'ELOOP')) throw cause;
    throw new WritError('HOME_INSECURE', `${quote(path)} is a symbolic link`, {
      nextSteps: ['move it away: the audit log is built anew from the rows'],
      cause,
    });
  }
}

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
