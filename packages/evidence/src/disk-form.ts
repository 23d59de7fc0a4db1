import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitDir } from './git-dir.ts';
import { readRegular } from './read-regular.ts';
import type { RepositoryPlace } from './repository-place.ts';
import type { RepositorySettings } from './repository-settings.ts';

/** Longest file of attributes or of patterns that is read, bytes. */
export const WORDS_BYTES = 16 * 1024 * 1024;

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
