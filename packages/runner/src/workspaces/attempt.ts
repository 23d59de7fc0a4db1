import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clone } from './types.ts';

/** The folders of one attempt, all 0700. */
export interface Attempt {
  /** Holds the others; what works inside it belongs to the run. */
  readonly folder: string;
  /** The clone, or an empty scratch folder; the run's working directory. */
  readonly work: string;
  readonly home: string;
  readonly tmp: string;
  /** Writable space beside `work`, where the run has some. */
  readonly scratch?: string;
  /** What `work` was when it was handed out; absent: it was empty. */
  readonly clone?: Clone;
}

/**
 * How the names of folders below the root begin: a run's own · clones that stand ready · what is kept of a run that is
 * over · what is being removed.
 */
export const PREFIX = { run: 'run-', ready: 'ready-', kept: 'kept-', trash: 'trash-' } as const;

/** The places of an attempt in its folder. */
export function attemptIn(folder: string): Attempt {
  return { folder, work: join(folder, 'work'), home: join(folder, 'home'), tmp: join(folder, 'tmp') };
}

/** Makes the folders of an attempt, or leaves none. */
export async function makeAttempt(folder: string): Promise<Attempt> {
  const attempt = attemptIn(folder);
  await mkdir(attempt.folder, { mode: 0o700 });
  try {
    for (const path of [attempt.work, attempt.home, attempt.tmp]) await mkdir(path, { mode: 0o700 });
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
  return attempt;
}

/** Most runs leave their folders empty: a few calls, instead of a walk. False where something is left. */
export async function removeUnused({ folder, work, home, tmp, scratch }: Attempt): Promise<boolean> {
  try {
    await Promise.all([work, home, tmp, ...(scratch === undefined ? [] : [scratch])].map((path) => rmdir(path)));
    await rmdir(folder);
    return true;
  } catch {
    return false;
  }
}
