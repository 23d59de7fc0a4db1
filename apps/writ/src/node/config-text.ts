import { quote, WritError } from '@writ/core';
import { readPlainFile } from '../plain-file.ts';

/** The text of `writ.toml`. Throws CONFIG_INVALID. */
export function readConfigText(path: string): string {
  try {
    return readPlainFile(path);
  } catch (error) {
    throw new WritError('CONFIG_INVALID', `cannot read ${quote(path)}: ${(error as Error).message}`, {
      nextSteps: ['put writ.toml back as a plain file'],
      cause: error,
    });
  }
}
