import { writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { WORDS_BYTES } from './disk-form.ts';
import type { GitDir } from './git-dir.ts';
import type { OwnerRepository } from './owner-repository.ts';
import type { OwnersWords } from './owners-words.ts';
import { readRegular } from './read-regular.ts';

/** Where attributes lie that every word of a repository is over, from the home of the node's git on. */
const ATTRIBUTES = '~/../repository/info/attributes-below';
/** Option of git that puts those in force; there need be none. */
export const ATTRIBUTES_BELOW: readonly string[] = ['-c', `core.attributesFile=${ATTRIBUTES}`];

/** Gives a git directory the attributes that hold besides: of the machine, and of the file that is named for the repository or everywhere. */
export async function borrowAttributes(
  owner: Pick<OwnerRepository, 'place' | 'settings'>,
  git: GitDir,
  words: OwnersWords | undefined,
): Promise<void> {
  const files = [words?.systemAttributes, namedFile(owner, git, 'core.attributesFile', words)];
  await writeFile(join(git.dir, 'info', basename(ATTRIBUTES)), await readAll(files), { mode: 0o600 });
}

/** Of the order of bytes, before a text. */
const MARK = Buffer.from('\ufeff');
const LINE_END = Buffer.from('\n');

/** Files of patterns or attributes as one, each over those before it; what is not there says nothing. */
export async function readAll(files: readonly (string | undefined)[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (const file of files) {
    const lines = file ? await readRegular(file, WORDS_BYTES) : undefined;
    // Git leaves this mark out where a file begins with it, and these become one.
    if (lines !== undefined)
      parts.push(lines.subarray(lines.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0), LINE_END);
  }
  return Buffer.concat(parts);
}

/**
 * The file of words that git reads besides; undefined where there is none. A path counts from the top of the working tree on.
 * Throws where nobody knows what the owner has said, and it is below somebody's home.
 */
export function namedFile(
  { place, settings }: Pick<OwnerRepository, 'place' | 'settings'>,
  git: GitDir,
  key: 'core.excludesFile' | 'core.attributesFile',
  words: OwnersWords | undefined,
): string | undefined {
  const own = settings.get(key.toLowerCase());
  // Whose home that would be is not known here: what it says would be missed, and what is ignored there sent along.
  if (words === undefined && own?.match(/^(~|%\()/)) {
    throw git.fail('scan', `${key} of the repository is no whole path`, ['write the path out, from / on']);
  }
  const known = key === 'core.excludesFile' ? words?.excludesFile : words?.attributesFile;
  const named = words === undefined ? own : known;
  return named ? resolve(place.workTree ?? '', named) : undefined;
}
