import { quote, shellWord } from '@writ/core';
import type { GitDir } from './git-dir.ts';
import { splitNul } from './raw-path.ts';
import { FOLDER, foldersAbove, GITLINK, type IndexEntries } from './submodules.ts';

/**
 * Those of `gone` (as `latin1`) that whoever worked there has taken off the disk and told git to pass over: a sparse checkout,
 * or `--skip-worktree`. Nobody has deleted them, and git would call them unchanged. Only where the index there has them
 * as the base does, so that they stay as the base has them; throws where it has something else, which is not on the disk.
 */
// INVARIANT: 10 what a task's index says is believed only where it says what the base says: nothing can be hidden behind it.
export async function keptAside(
  git: GitDir,
  baseTree: string,
  aside: IndexEntries['aside'] | undefined,
  gone: readonly Buffer[],
): Promise<ReadonlySet<string>> {
  if (aside === undefined || aside.size === 0) return new Set();
  const based = await entriesIn(git, baseTree);
  const absent = new Set(gone.map((path) => path.toString('latin1')));
  const kept = new Set<string>();
  const folders = new Set<string>();
  for (const [name, entry] of aside) {
    const isFolder = entry.startsWith(FOLDER);
    if (!isFolder && !absent.has(name)) continue;
    if (based.get(name) === entry) (isFolder ? folders : kept).add(name);
    // Which commit a submodule stands at needs no file, and is taken from that index.
    else if (!entry.startsWith(GITLINK)) throw changedAside(git, name);
  }
  for (const path of gone) {
    if (foldersAbove(path).some((folder) => folders.has(folder))) kept.add(path.toString('latin1'));
  }
  return kept;
}

/** Mode and id of everything in a tree, of its folders too, by path (`latin1`). */
async function entriesIn(git: GitDir, tree: string): Promise<ReadonlyMap<string, string>> {
  const lines = splitNul(await git.run('scan', ['ls-tree', '-r', '-t', '-z', '--full-tree', tree]));
  return new Map(
    lines.map((line) => {
      const tab = line.indexOf('\t');
      const [mode, , id] = line.toString('latin1', 0, tab).split(' ');
      return [line.toString('latin1', tab + 1), `${mode} ${id}`];
    }),
  );
}

function changedAside(git: GitDir, name: string): Error {
  const path = Buffer.from(name, 'latin1').toString();
  const why = `${quote(path)} was changed in the index and kept off the disk, so that nobody sees what is in it`;
  return git.fail('scan', why, [
    'have it written: git sparse-checkout disable',
    `or: git update-index --no-skip-worktree ${shellWord(path)} && git checkout -- ${shellWord(path)}`,
  ]);
}
