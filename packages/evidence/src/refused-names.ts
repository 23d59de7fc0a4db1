import type { GitDir, InTree } from './git-dir.ts';
import { joinNul, splitNul } from './raw-path.ts';
import { RESULT_LISTS } from './result-schema.ts';
import { folderOf } from './tree-walk.ts';

/** Most names that a result lists. */
const MOST_REFUSED = RESULT_LISTS.refused;

/**
 * Those of `gitNames` that are told of: git keeps nothing under such a name, and a repository has its own history there.
 * What lies in a folder that is ignored as a whole is ignored.
 */
export async function refusedNames(
  git: GitDir,
  inTree: InTree,
  gitNames: readonly Buffer[],
): Promise<readonly Buffer[]> {
  if (gitNames.length === 0) return [];
  const folders = gitNames.map(folderOf).filter((folder) => folder.length > 0);
  const ignored = new Set(await ignoredOf(git, inTree, folders));
  const refused = gitNames.filter((path) => !ignored.has(folderOf(path).toString('latin1')));
  if (refused.length > MOST_REFUSED) {
    throw git.fail('scan', `there are more than ${MOST_REFUSED} repositories in it, or names that mean one`);
  }
  return refused.sort(Buffer.compare);
}

async function ignoredOf(git: GitDir, inTree: InTree, folders: readonly Buffer[]): Promise<readonly string[]> {
  if (folders.length === 0) return [];
  const args = ['check-ignore', '-z', '--stdin', '--no-index'];
  // This command takes paths one way only; with `./` before it no path is anything but a path.
  const input = joinNul(folders.map((folder) => Buffer.concat([Buffer.from('./'), folder, Buffer.from('/')])));
  const env = { ...inTree.env, GIT_LITERAL_PATHSPECS: '0' };
  const answer = await git.ask('scan', [0, 1], args, { ...inTree, env, input });
  return splitNul(answer.stdout).map((path) => path.toString('latin1').slice(2, -1));
}
