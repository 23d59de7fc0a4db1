import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { formatSize } from '@writ/core';

/** Longest configuration, and file of cases, that is read, bytes. */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * The text of a plain file. Opened without blocking and looked at before it is read: a pipe or a device would hold its
 * reader up for ever. Throws an Error that says why.
 */
export function readPlainFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is no plain file');
    if (stats.size > MOST_BYTES) throw new Error(`it is larger than ${formatSize(MOST_BYTES)}`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
