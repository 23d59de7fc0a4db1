import { constants } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecretFileName, quote, WritError } from '@writ/core';

/** Secrets as a run is given them. */
export interface HandedSecrets {
  /** Absolute folder with a file for each. */
  readonly folder: string;
  readonly values: readonly Uint8Array[];
  /** Removes the files; harmless where they are gone. */
  remove(): Promise<void>;
}

/** Largest secret, bytes. */
const LARGEST_BYTES = 64 * 1024;

/**
 * Puts copies of the named secrets, files of the node's own folder `from`, into the new folder `to`. Throws
 * RUNNER_UNAVAILABLE where one is not there or is no plain file; nothing is left then.
 */
export async function handSecrets(names: readonly string[], from: string, to: string): Promise<HandedSecrets> {
  const remove = (): Promise<void> => rm(to, { recursive: true, force: true });
  try {
    await mkdir(to, { mode: 0o700 });
    const values: Uint8Array[] = [];
    for (const name of names) {
      const value = await readSecret(name, from);
      await writeFile(join(to, name), value, { mode: 0o400, flag: 'wx' });
      values.push(value);
    }
    return { folder: to, values, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function readSecret(name: string, from: string): Promise<Uint8Array> {
  const path = join(from, name);
  try {
    if (!isSecretFileName(name)) throw new Error('its name is none');
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw new Error('it is no plain file');
      if (found.size > LARGEST_BYTES) throw new Error(`it is larger than ${LARGEST_BYTES} bytes`);
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new WritError('RUNNER_UNAVAILABLE', `the secret ${quote(name)} of the profile cannot be handed over`, {
      cause,
      nextSteps: [`on the executing node, put it into ${quote(path)}, readable by the node's user only`],
    });
  }
}
