import { writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { GitDir } from './git-dir.ts';
import type { OwnerRepository } from './owner-repository.ts';
import { readRegular } from './read-regular.ts';
import type { RepositoryPlace } from './repository-place.ts';
import type { RepositorySettings } from './repository-settings.ts';

/** Longest file of attributes or of patterns that is read, bytes. */
const WORDS_BYTES = 16 * 1024 * 1024;

/** What a repository may set about how its files lie on the disk: words that run nothing. */
export const DISK_FORM = [
  'core.autocrlf',
  'core.eol',
  'core.symlinks',
  'core.filemode',
  'core.ignorecase',
  'core.precomposeunicode',
  // What of a file's times and places says that it has changed: less, where it was copied or is on another system's disk.
  'core.trustctime',
  'core.checkstat',
] as const;

/** Options of git that put those of `keys` in force that a repository sets. */
export function formOf(settings: RepositorySettings, keys: readonly string[]): readonly string[] {
  return keys.flatMap((key) => (settings.has(key) ? ['-c', `${key}=${settings.get(key)}`] : []));
}

/** Gives a git directory a file of a repository's own words (`info/NAME`) in the place of what it has; an empty one where there is none. */
export async function borrowWords(git: GitDir, from: RepositoryPlace['gitDir'], name: string): Promise<void> {
  const content = await readRegular(join(from, 'info', name), WORDS_BYTES);
  await writeFile(join(git.dir, 'info', name), content ?? '', { mode: 0o600 });
}

/** Where attributes lie that every word of a repository is over, from the home of the node's git on. */
const ATTRIBUTES = '~/../repository/info/attributes-below';
/** Option of git that puts those in force; there need be none. */
export const ATTRIBUTES_BELOW: readonly string[] = ['-c', `core.attributesFile=${ATTRIBUTES}`];

/** Gives a git directory the attributes that hold everywhere for an owner: of the file that the repository names instead, or of `everywhere`. */
export async function borrowAttributes(
  owner: Pick<OwnerRepository, 'place' | 'settings'>,
  git: GitDir,
  everywhere: string | undefined,
): Promise<void> {
  const file = namedFile(owner, git, 'core.attributesFile', everywhere);
  const content = file === undefined ? undefined : await readRegular(file, WORDS_BYTES);
  if (content !== undefined) await writeFile(join(git.dir, 'info', basename(ATTRIBUTES)), content, { mode: 0o600 });
}

/**
 * The file of words that git reads: the one that a setting of the repository names, else `everywhere`; undefined where either
 * says that there is none. Both count from the top of the working tree. Throws where it is below somebody's home.
 */
export function namedFile(
  { place, settings }: Pick<OwnerRepository, 'place' | 'settings'>,
  git: GitDir,
  key: string,
  everywhere: string | undefined,
): string | undefined {
  const own = settings.get(key.toLowerCase());
  // Whose home that would be is not known here: what it says would be missed, and what is ignored there sent along.
  if (own?.match(/^(~|%\()/)) {
    throw git.fail('scan', `${key} of the repository is no whole path`, ['write the path out, from / on']);
  }
  const named = own ?? everywhere;
  return named ? resolve(place.workTree ?? '', named) : undefined;
}
