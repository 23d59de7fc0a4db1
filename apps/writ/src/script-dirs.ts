import { join, resolve } from 'node:path';
import type { Environment } from './env.ts';
import type { Home } from './home.ts';

/** Where the system keeps what runs. */
const RUNTIME = '/run';
const ROOT = 0;

/**
 * Where copies of scripts lie of gated commands while they run, first of all: in the folder that the system has for what `user` runs, as `XDG_RUNTIME_DIR` names it. Where nothing names
 * one (cron, a service of the system) it is looked for where it usually is; the superuser may have none of their own. Whether one is fit for it, the runner finds out.
 */
export function scriptDirs(
  { heldName }: Pick<Home, 'heldName'>,
  { xdgRuntimeDir }: Pick<Environment, 'xdgRuntimeDir'>,
  user: number | undefined,
): readonly string[] {
  if (user === undefined) return [];
  const usual = [join(RUNTIME, 'user', String(user)), ...(user === ROOT ? [RUNTIME] : [])];
  const folders = xdgRuntimeDir === undefined ? usual : [resolve(xdgRuntimeDir)];
  return folders.map((folder) => join(folder, heldName));
}
