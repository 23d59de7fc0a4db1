import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { formatSize, quote, WritError } from '@writ/core';

/** Longest configuration that is read, bytes. */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * The text of `writ.toml`. Opened without blocking and looked at before it is read: a pipe or a device would hold the
 * node up for ever. Throws CONFIG_INVALID.
 */
export function readConfigText(path: string): string {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw new Error('it is no plain file');
      if (stats.size > MOST_BYTES) throw new Error(`it is larger than ${formatSize(MOST_BYTES)}`);
      return readFileSync(file, 'utf8');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new WritError('CONFIG_INVALID', `cannot read ${quote(path)}: ${(error as Error).message}`, {
      nextSteps: ['put writ.toml back as a plain file'],
      cause: error,
    });
  }
}
