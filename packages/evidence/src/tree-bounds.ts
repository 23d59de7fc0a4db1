import type { GitDir } from './git-dir.ts';
import { splitNul } from './raw-path.ts';
import type { BundleLimits } from './types.ts';

/** Of a line of the list, on average and at most: what Linux takes. */
const USUAL_PATH_BYTES = 100;
const LONGEST_PATH_BYTES = 4096;
/** One name that is none. */
const NO_ANSWER = Buffer.alloc(1);

/**
 * Few objects can stand for more files than any disk holds: a folder that holds another one ten times, ten levels deep, or
 * one large file under many names. Fails, naming the step, where a checkout of `commit` would be such.
 */
export async function requireBoundedTree(
  git: GitDir,
  commit: string,
  { maxFiles, maxUnpackedBytes }: Pick<BundleLimits, 'maxFiles' | 'maxUnpackedBytes'>,
): Promise<void> {
  const listing = ['ls-tree', '-r', '-z', '--format=%(objectname) %(path)', commit];
  const room = { maxOutputBytes: maxFiles * (commit.length + USUAL_PATH_BYTES) };
  // Git is stopped where it writes more than fits, so that a bomb costs no more than a tree of the size that is allowed.
  const files = splitNul(await git.run('inspect', listing, room).catch(() => NO_ANSWER));
  if (files[0]?.length === 0 || files.length > maxFiles) {
    throw git.fail('inspect', `its head cannot be listed, or holds more than ${maxFiles} files`);
  }
  const times = new Map<string, number>();
  for (const file of files) {
    if (file.length > commit.length + LONGEST_PATH_BYTES) {
      throw git.fail('inspect', `its head holds a path of more than ${LONGEST_PATH_BYTES} bytes`);
    }
    const id = file.toString('latin1', 0, commit.length);
    times.set(id, (times.get(id) ?? 0) + 1);
  }
  // What stands there once is bounded as an object.
  const repeated = [...times].filter(([, count]) => count > 1);
  const input = Buffer.from(repeated.map(([id]) => `${id}\n`).join(''));
  const sizes = await git.run('inspect', ['cat-file', '--batch-check=%(objectsize)'], { input });
  const bytes = sizes.toString('latin1').split('\n');
  // An object that is not here is one of the owner's, in a repository that fetches them when they are wanted, or a commit of
  // a submodule.
  const sizeAt = (at: number): number => (/^\d+$/.test(bytes[at] ?? '') ? Number(bytes[at]) : 0);
  const total = repeated.reduce((sum, [, count], at) => sum + count * sizeAt(at), 0);
  if (total > maxUnpackedBytes) {
    throw git.fail(
      'inspect',
      `its head holds the same content so often that it takes more than ${maxUnpackedBytes} bytes`,
    );
  }
}
