import { realpath, stat } from 'node:fs/promises';
import { quote, WritError } from '@writ/core';
import { isBelow, isOfSystem, type SystemView } from './system-view.ts';
import type { Confinement, Mount, Reach } from './types.ts';

/** The folders of an attempt, as far as a sandbox shows them. */
export interface ConfinedFolders {
  readonly work: string;
  readonly home: string;
  readonly tmp: string;
  readonly scratch?: string;
  readonly secrets?: string;
  /** `work` is a copy of a workspace; else it is empty, and writable whatever was granted. */
  readonly isClone: boolean;
}

/** What decides what a sandbox shows. */
export interface ConfinementSpec {
  readonly reach: Pick<Reach, 'workspace'>;
  /** Absolute. */
  readonly readPaths: readonly string[];
  readonly folders: ConfinedFolders;
  /** The only sockets of the node that are visible inside. */
  readonly sockets: readonly string[];
  /** Files and folders of programs that the node brings along. */
  readonly programs: readonly string[];
  /** Folders of the node itself: keys, database, sockets, other tasks. */
  readonly hidden: readonly string[];
  readonly view: SystemView;
}

/**
 * What the sandbox of a run shows. Throws ISOLATION_UNAVAILABLE where the profile names a path that cannot be shown: one that
 * is not there, or belongs to the node itself.
 */
// INVARIANT: 1 what a run reaches is what was granted: nothing that is not named here is there.
export async function confine(spec: ConfinementSpec): Promise<Confinement> {
  const { reach, folders, sockets, view } = spec;
  const hidden = await realPaths(spec.hidden);
  const readPaths = await Promise.all(spec.readPaths.map((path) => readPath(path, hidden)));
  const shown = [...(await realPaths(spec.programs)), ...readPaths].filter((path) => !isOfSystem(view, path));
  // INVARIANT: 7 the node's own folders and sockets are seen by no task, not even where a profile shows what holds them.
  const covered = hidden.filter((folder) => [...shown, ...view.folders].some((path) => isBelow(folder, path)));
  const outermost = covered.filter((folder) => !covered.some((other) => other !== folder && isBelow(folder, other)));
  const { work, home, tmp, scratch, secrets } = folders;
  return {
    cwd: work,
    mounts: [
      ...as('read', shown),
      ...as('empty', outermost),
      { path: work, as: folders.isClone ? WORK[reach.workspace] : 'write' },
      ...as('write', [home, tmp, ...(scratch === undefined ? [] : [scratch])]),
      ...as('read', secrets === undefined ? [] : [secrets]),
      ...as('write', sockets),
    ],
  };
}

const WORK = { none: 'empty', read: 'read', write: 'write' } as const;

function as(how: Mount['as'], paths: readonly string[]): readonly Mount[] {
  return paths.map((path) => ({ path, as: how }));
}

/** Those that are there, under their real names. */
async function realPaths(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return found.flatMap((path) => path ?? []);
}

async function readPath(path: string, hidden: readonly string[]): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  const kind = real === undefined ? undefined : await stat(real);
  if (real === undefined || !(kind?.isFile() || kind?.isDirectory())) {
    throw unshown(path, 'is no file and no folder of this machine');
  }
  if (hidden.some((folder) => isBelow(real, folder))) throw unshown(path, 'belongs to the node itself');
  return real;
}

function unshown(path: string, why: string): WritError {
  return new WritError(
    'ISOLATION_UNAVAILABLE',
    `a path of the profile’s \`read_paths\` cannot be shown: ${quote(path)} ${why}`,
    {
      details: { path },
      nextSteps: ['on the executing node, mend `read_paths` of the profile'],
    },
  );
}
