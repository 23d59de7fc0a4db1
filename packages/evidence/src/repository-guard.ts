import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { quote, WritError } from '@writ/core';
import type { RepositoryPlace } from './repository-place.ts';

/** Which repositories are its owner's to name, on a machine with others and with tasks. */
export interface RepositoryGuard {
  /** Id of the user that this process runs as; undefined where the system has no such ids. */
  readonly user: number | undefined;
  /** Absolute folders of the node's own: below them are the files of tasks. */
  readonly closed: readonly string[];
  /** Absolute folders that the owner's configuration names as workspaces, whoever owns their files. */
  readonly named: () => readonly string[];
}

/** INVARIANT: 1 what a task works on is no repository of its owner's, however it is named. Throws BAD_REQUEST. */
export async function requireOpen(dir: string, guard: RepositoryGuard, led: readonly string[] = []): Promise<void> {
  const closed = await Promise.all(guard.closed.map(real));
  const asked = await Promise.all([dir, ...led].map(real));
  if (!asked.some((path) => closed.some((folder) => path === folder || path.startsWith(`${folder}${sep}`)))) return;
  // Whether anything is there is not told.
  throw new WritError('BAD_REQUEST', `${quote(dir)} lies in a folder of this node, where the files of tasks are`, {
    nextSteps: ['name a repository of your own', 'to work on what a task left: git clone it to a folder of your own'],
  });
}

/** Throws BAD_REQUEST where a repository is the node's or another user's, as git itself refuses those. */
export async function requireOwn(dir: string, place: RepositoryPlace, guard: RepositoryGuard): Promise<void> {
  const parts = [place.gitDir, place.commonDir, place.objects, place.refs, ...(place.workTree ? [place.workTree] : [])];
  await requireOpen(dir, guard, parts);
  const named = await Promise.all(guard.named().map(real));
  if (guard.user === undefined || named.includes(place.workTree ?? place.gitDir)) return;
  const pointer = place.workTree === undefined ? [] : [join(place.workTree, '.git')];
  const owners = await Promise.all([...parts, ...pointer].map(async (path) => (await lstat(path)).uid));
  const other = owners.find((uid) => uid !== guard.user);
  if (other === undefined) return;
  throw new WritError('BAD_REQUEST', `${quote(dir)} belongs to another user (uid ${other})`, {
    nextSteps: ['use a clone of your own', 'or name it in writ.toml as a workspace: [workspaces.NAME] path = "…"'],
  });
}

/** The real path of the nearest thing that is there, with what is not behind it. */
async function real(path: string): Promise<string> {
  const absolute = resolve(path);
  const found = await realpath(absolute).catch(() => undefined);
  if (found !== undefined || dirname(absolute) === absolute) return found ?? absolute;
  return join(await real(dirname(absolute)), absolute.slice(dirname(absolute).length));
}
