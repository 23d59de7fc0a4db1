import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isBelow, isOfSystem, type SystemView } from './system-view.ts';
import type { Confinement } from './types.ts';

/** Whether a sandbox shows the program that an argument vector names; a path in the workspace is looked up there. */
export async function showsProgram(
  program: string,
  searched: string,
  { cwd, mounts }: Confinement,
  view: SystemView,
): Promise<boolean> {
  const places = program.includes('/')
    ? [resolve(cwd, program)]
    : searched.split(':').map((folder) => join(folder, program));
  const shows = async (path: string): Promise<boolean> => {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined) return false;
    const last = mounts.findLast((mount) => isBelow(real, mount.path));
    return last === undefined ? isOfSystem(view, real) : last.as !== 'empty';
  };
  for (const place of places) {
    // A link in a folder that is not shown leads nowhere, wherever it points.
    if ((await canRun(place)) && (await shows(dirname(place))) && (await shows(place))) return true;
  }
  return false;
}

/** Absolute path of a program in PATH, or undefined. */
export async function findProgram(program: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(':').filter((entry) => entry.startsWith('/'))) {
    if (await canRun(join(folder, program))) return join(folder, program);
  }
  return undefined;
}

/** Whether a program that is named like this would be found: in PATH, or as a path from `cwd`. */
export async function canStart(named: {
  readonly program: string;
  readonly path: string;
  readonly cwd: string;
}): Promise<boolean> {
  if (named.program.includes('/')) return canRun(resolve(named.cwd, named.program));
  return (await findProgram(named.program, named.path)) !== undefined;
}

async function canRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
