import { lstat, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { quote, type WritCode, WritError } from '@writ/core';
import { createGitDir, type GitDir, type RunOptions } from './git-dir.ts';
import { readRegular } from './read-regular.ts';
import { type RepositoryGuard, requireOpen, requireOwn } from './repository-guard.ts';
import { locateRepository, type RepositoryPlace } from './repository-place.ts';
import { isSet, type RepositorySettings, readSettings, sharedForm } from './repository-settings.ts';
import type { GitStep, GitWork } from './types.ts';

/** Longest list of where a history is cut off, bytes. */
const SHALLOW_BYTES = 64 * 1024 * 1024;

/**
 * An owner's repository, where git sees its objects and refs and none of its settings: it runs in a git directory of the
 * node's own, so that no program is known to it that somebody has named there.
 */
export interface OwnerRepository {
  readonly dir: string;
  readonly place: RepositoryPlace;
  readonly settings: RepositorySettings;
  readonly objectFormat: 'sha1' | 'sha256';
  /** The node's own; its refs are the owner's, its HEAD is a copy. */
  readonly git: GitDir;
  /** Exit code and standard output; other codes than these are failures. */
  ask(
    step: GitStep,
    codes: readonly number[],
    args: readonly string[],
    more?: RunOptions,
  ): Promise<{ exitCode: number; text: string }>;
  /** Full id of the commit that `name` means here, or undefined. */
  commitOf(name: string): Promise<string | undefined>;
}

export interface OwnerRepositoryOptions {
  readonly code: WritCode;
  readonly timeoutMs: number;
  /** Of a repository that a caller names; absent: the node's own configuration names it. */
  readonly guard?: RepositoryGuard;
  /** How a caller names another repository, as an option: `--repo DIR`; absent: not at all. */
  readonly option?: string;
}

/** Throws BAD_REQUEST where `dir` is no folder that can be reached. */
async function requireFolder(dir: string): Promise<void> {
  const isFolder = await stat(dir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new WritError('BAD_REQUEST', `there is no folder ${quote(dir)}`);
}

/** Opens the repository in or above `dir` for as long as `use` takes. Throws `code` where there is none, BAD_REQUEST where it is refused. */
export async function inOwnerRepository<T>(
  work: GitWork,
  dir: string,
  options: OwnerRepositoryOptions,
  use: (owner: OwnerRepository) => Promise<T>,
): Promise<T> {
  const { code, timeoutMs, guard, option } = options;
  // INVARIANT: 1 no answer tells what is in a folder of the node's.
  if (guard !== undefined) await requireOpen(dir, guard);
  await requireFolder(dir);
  const place = await locateRepository(dir);
  if (place === undefined) {
    const asked = guard === undefined ? code : 'BAD_REQUEST';
    throw new WritError(asked, `${quote(dir)} is in no repository`, {
      details: { step: 'inspect' },
      nextSteps: ['run it in a folder of a repository', ...(option === undefined ? [] : [`or name one: ${option}`])],
    });
  }
  if (guard !== undefined) await requireOwn(dir, place, guard);
  const settings = await readSettings(work, place, timeoutMs);
  const objectFormat = settings.get('extensions.objectformat') === 'sha256' ? 'sha256' : 'sha1';
  const what = `git in ${quote(dir)}`;
  const form = sharedForm(settings);
  const git = await createGitDir({ ...work, code, what, timeoutMs, objectFormat, form, borrowFrom: [] });
  try {
    await lead(git, place);
    return await use(ownerOf({ dir, place, settings, objectFormat, git }));
  } finally {
    await git.remove();
  }
}

/** Makes the refs of a git directory those of another one. Nothing but names of refs and of objects is in what it leads to. */
async function lead(git: GitDir, place: RepositoryPlace): Promise<void> {
  await rm(join(git.dir, 'refs'), { recursive: true });
  await symlink(place.refs, join(git.dir, 'refs'));
  await symlink(join(place.commonDir, 'packed-refs'), join(git.dir, 'packed-refs'));
  await writeFile(join(git.dir, 'HEAD'), place.head);
  await borrowShallow(place, git);
}

function ownerOf(parts: Omit<OwnerRepository, 'ask' | 'commitOf'>): OwnerRepository {
  const { git, place } = parts;
  const ask: OwnerRepository['ask'] = async (step, codes, args, more = {}) => {
    const env = { GIT_OBJECT_DIRECTORY: place.objects, ...more.env };
    const { exitCode, stdout } = await git.ask(step, codes, args, { ...more, env });
    return { exitCode, text: stdout.toString('utf8').replace(/\n$/, '') };
  };
  return {
    ...parts,
    ask,
    async commitOf(name) {
      const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`];
      const { exitCode, text } = await ask('inspect', [0, 1], args);
      return exitCode === 0 ? text : undefined;
    },
  };
}

/** The folder that is checked out into; undefined where there is none, or settings say that it is elsewhere: they are not followed. */
export async function workTreeOf({ place, settings }: OwnerRepository): Promise<string | undefined> {
  const { workTree, gitDir } = place;
  if (isSet(settings, 'core.bare')) return undefined;
  const named = settings.get('core.worktree');
  // A submodule says so of its own folder.
  const there = named === undefined ? workTree : await realpath(resolve(gitDir, named)).catch(() => undefined);
  return there === workTree ? workTree : undefined;
}

/** Where the owner's history is cut off, it is cut off for a directory that borrows from it too. */
export async function borrowShallow({ commonDir }: RepositoryPlace, git: GitDir): Promise<void> {
  const shallow = await readRegular(join(commonDir, 'shallow'), SHALLOW_BYTES);
  if (shallow !== undefined) await writeFile(join(git.dir, 'shallow'), shallow);
}

/** Throws BAD_REQUEST where what git would write to is a link: it would be written somewhere else. */
export async function requireNoLinks({ refs, objects }: RepositoryPlace, branch: string): Promise<void> {
  const [folder = ''] = branch.split('/');
  const written = [join(objects, 'pack'), join(refs, 'heads'), join(refs, 'heads', folder)];
  for (const path of written) {
    const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink();
    if (isLink)
      throw new WritError('BAD_REQUEST', `${quote(path)} is a link: what is written there would be elsewhere`);
  }
}
