import { lstat, readdir } from 'node:fs/promises';
import { quote, shellWord, type WritError } from '@writ/core';
import type { GitDir } from './git-dir.ts';
import { splitNul } from './raw-path.ts';
import { below } from './tree-walk.ts';

/** How the line of such an entry begins. */
const GITLINK = Buffer.from('160000 ');

/** What an index holds: the paths of files and links, and of commits of other repositories. */
export interface IndexEntries {
  readonly files: readonly Buffer[];
  readonly gitlinks: readonly Buffer[];
}

export async function entriesOf(git: GitDir, index: Readonly<Record<string, string>>): Promise<IndexEntries> {
  const [files, gitlinks] = [[] as Buffer[], [] as Buffer[]];
  for (const entry of splitNul(await git.run('scan', ['ls-files', '-z', '--stage'], { env: index }))) {
    const path = entry.subarray(entry.indexOf('\t') + 1);
    (entry.subarray(0, GITLINK.length).equals(GITLINK) ? gitlinks : files).push(path);
  }
  return { files, gitlinks };
}

/**
 * Where a workspace still has an empty folder for a commit of another repository: nothing has changed there. Paths as
 * `latin1`. Throws where there are files: they belong to no commit of this repository, and nobody would see them.
 */
export async function submodulesIn(
  git: GitDir,
  workspaceDir: string,
  gitlinks: readonly Buffer[],
): Promise<ReadonlySet<string>> {
  const places = new Set<string>();
  for (const path of gitlinks) {
    const place = below(workspaceDir, path);
    if (!(await lstat(place).catch(() => undefined))?.isDirectory()) continue;
    const isFilled = await readdir(place).then((names) => names.length > 0);
    if (isFilled) throw filled(git, path.toString());
    places.add(path.toString('latin1'));
  }
  return places;
}

function filled(git: GitDir, path: string): WritError {
  return git.fail('scan', `there are files in the submodule ${quote(path)}, and none is followed`, [
    `once what is in it is kept elsewhere, empty it: git submodule deinit -- ${shellWord(path)}`,
    'or leave it as it is, and use a worktree, where it is empty: git worktree add DIR',
  ]);
}
