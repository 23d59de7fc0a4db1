import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { OwnerRepository } from './owner-repository.ts';
import type { OwnersWords } from './owners-words.ts';
import type { OwnersShell, ReadOwnersWords } from './read-words.ts';
import type { RepositoryPlace } from './repository-place.ts';
import { isSet } from './repository-settings.ts';

/**
 * What the owner's git goes by in this repository: the owner's words everywhere with what they include for it, and what it
 * says itself with what it includes, in the order that git has them; `shell` is the owner's, where that is known. Undefined
 * where nobody knows what the owner has said.
 */
// INVARIANT: 1 no setting of a repository is in force where it is read: git takes nothing but words from its files.
export async function wordsHere(
  owner: Pick<OwnerRepository, 'dir' | 'place' | 'settings' | 'git'>,
  read: ReadOwnersWords | undefined,
  shell?: OwnersShell,
): Promise<OwnersWords | undefined> {
  if (read === undefined) return undefined;
  const { dir, place, settings, git } = owner;
  // Git reads a folder of the node's in the place of the repository's, and there the files as if they were included: so it
  // has found its directory, format and working tree without them.
  const commonDir = join(git.dir, 'asked');
  for (const name of ['objects', 'refs']) await mkdir(join(commonDir, name), { recursive: true, mode: 0o700 });
  const files = [join(place.commonDir, 'config')];
  if (isSet(settings, 'extensions.worktreeconfig')) files.push(join(place.gitDir, 'config.worktree'));
  const lines = files.map((file) => `[include]\n\tpath = "${escaped(file)}"\n`);
  await writeFile(join(commonDir, 'config'), lines.join(''), { mode: 0o600 });
  return read({ gitDir: await gitDirAsNamed(dir, place), commonDir }, shell?.variables);
}

function escaped(path: string): string {
  return path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
}

/**
 * The git directory by the path that its owner comes to it: git compares the conditions of `includeIf` with that one and with
 * the real one, so that `gitdir:~/work/` is about what a link `~/work` leads to as well.
 */
async function gitDirAsNamed(dir: string, { gitDir }: RepositoryPlace): Promise<string> {
  for (let folder = resolve(dir); ; folder = dirname(folder)) {
    for (const named of [join(folder, '.git'), folder]) {
      if ((await realpath(named).catch(() => undefined)) === gitDir) return named;
    }
    if (dirname(folder) === folder) return gitDir;
  }
}
