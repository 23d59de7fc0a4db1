import { lstat, readdir } from 'node:fs/promises';
import { quote } from '@writ/core';
import type { GitDir } from './git-dir.ts';
import { splitNul } from './raw-path.ts';
import { below } from './tree-walk.ts';

/**
 * Where an index has a commit of another repository and the workspace still an empty folder: nothing has changed there.
 * Paths as `latin1`. Throws where there are files: they belong to no commit of this repository, and nobody would see them.
 */
export async function submodulesIn(
  git: GitDir,
  workspaceDir: string,
  index: Readonly<Record<string, string>>,
): Promise<ReadonlySet<string>> {
  const staged = splitNul(await git.run('scan', ['ls-files', '-z', '--stage'], { env: index }));
  const places = new Set<string>();
  for (const entry of staged) {
    if (!entry.subarray(0, 7).equals(Buffer.from('160000 '))) continue;
    const path = entry.subarray(entry.indexOf('\t') + 1);
    const place = below(workspaceDir, path);
    if (!(await lstat(place).catch(() => undefined))?.isDirectory()) continue;
    const isFilled = await readdir(place).then((names) => names.length > 0);
    if (isFilled)
      throw git.fail('scan', `there are files in the submodule ${quote(path.toString())}, and none is followed`);
    places.add(path.toString('latin1'));
  }
  return places;
}
