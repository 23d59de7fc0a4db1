import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { hasErrno, quote, WritError } from '@writ/core';

/**
 * The content of a plain file that somebody else may have put there; undefined where there is none. Does not wait at a
 * named pipe. Throws BAD_REQUEST for what is no plain file, or longer than `maxBytes`.
 */
export async function readRegular(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (hasErrno(error, 'ENOENT') || hasErrno(error, 'ENOTDIR')) return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new WritError('BAD_REQUEST', `${quote(path)} is no plain file`);
    if (stat.size > maxBytes) throw new WritError('BAD_REQUEST', `${quote(path)} is larger than ${maxBytes} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
