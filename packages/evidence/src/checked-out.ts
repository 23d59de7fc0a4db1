import { lstat, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitDir } from './git-dir.ts';
import { joinNul, splitNul } from './raw-path.ts';
import { below } from './tree-walk.ts';

/**
 * Takes back changes that are none. A repository can ask for another form on disk than in its objects (`eol=crlf`); a file
 * that is, byte for byte, what a checkout of the base writes was not touched. What the base itself says about
 * attributes counts here, never what the workspace says.
 */
export async function restoreUntouched(
  git: GitDir,
  workspaceDir: string,
  baseTree: string,
  index: Readonly<Record<string, string>>,
): Promise<void> {
  const attributes = await git.run('restore', ['ls-tree', '-r', '-z', '--name-only', baseTree]);
  if (!splitNul(attributes).some((path) => /(^|\/)\.gitattributes$/.test(path.toString('latin1')))) return;
  const raw = await git.run(
    'restore',
    ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev', baseTree],
    {
      env: index,
    },
  );
  const fields = splitNul(raw);
  const modified = new Map<string, { readonly path: Buffer; readonly entry: string }>();
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [mode = '', newMode = '', id = '', , status = ''] = fields[i]?.toString('latin1').slice(1).split(' ') ?? [];
    const path = fields[i + 1] ?? Buffer.alloc(0);
    if (status === 'M' && mode === newMode && mode.startsWith('100')) {
      modified.set(path.toString('latin1'), { path, entry: `${mode} ${id}\t` });
    }
  }
  if (modified.size === 0) return;
  const untouched = await findUntouched(
    git,
    workspaceDir,
    baseTree,
    [...modified.values()].map(({ path }) => path),
  );
  if (untouched.length === 0) return;
  const lines = untouched.map((path) =>
    Buffer.concat([Buffer.from(modified.get(path.toString('latin1'))?.entry ?? ''), path]),
  );
  await git.run('restore', ['update-index', '-z', '--index-info'], { env: index, input: joinNul(lines) });
}

async function findUntouched(
  git: GitDir,
  workspaceDir: string,
  baseTree: string,
  paths: readonly Buffer[],
): Promise<readonly Buffer[]> {
  const env = { GIT_INDEX_FILE: join(git.dir, 'base-index'), GIT_WORK_TREE: git.scratch };
  const out = join(git.scratch, 'checked-out');
  // The node's own attributes would switch conversion off; here it has to be as in a checkout.
  const own = join(git.dir, 'info', 'attributes');
  const aside = join(git.dir, 'info', 'attributes-aside');
  await mkdir(out, { mode: 0o700 });
  await rename(own, aside);
  try {
    await git.run('restore', ['read-tree', baseTree], { env });
    const args = ['checkout-index', '--quiet', `--prefix=${out}/`, '-z', '--stdin'];
    await git.run('restore', args, { env, input: joinNul(paths) });
  } finally {
    await rename(aside, own);
  }
  const same: Buffer[] = [];
  for (const path of paths) {
    const [written, there] = [below(out, path), below(workspaceDir, path)];
    const sizes = await Promise.all([written, there].map((file) => lstat(file)));
    if (sizes[0]?.size !== sizes[1]?.size || !sizes[1]?.isFile()) continue;
    if ((await readFile(written)).equals(await readFile(there))) same.push(path);
  }
  await rm(out, { recursive: true, force: true });
  return same;
}
