import { createHash } from 'node:crypto';
import { lstat, mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitDir } from './git-dir.ts';
import { joinNul, splitNul } from './raw-path.ts';
import { below } from './tree-walk.ts';

export interface RestoreRequest {
  /** Real, absolute path. */
  readonly workspaceDir: string;
  /** Tree that the work began with. */
  readonly baseTree: string;
  /** Environment that names the index, which holds what is there now. */
  readonly index: Readonly<Record<string, string>>;
  /** Paths of all files of the base. */
  readonly based: readonly Buffer[];
}

/** A file that differs from its base; its mode does not. */
interface Modified {
  readonly path: Buffer;
  readonly mode: string;
  /** Its content in the base. */
  readonly id: string;
}

/**
 * Takes back changes that are none. A repository can ask for another form on disk than in its objects (`eol=crlf`): a file
 * that is, byte for byte, what a checkout of the base writes was not touched, and one that was goes back into the form
 * that the base keeps it in. What the base itself says about attributes counts here, never what the workspace says;
 * files that the base keeps as they are on disk stay as they are.
 */
export async function restoreForm(
  git: GitDir,
  { workspaceDir, baseTree, index, based }: RestoreRequest,
): Promise<void> {
  const attributes = based.filter((path) => /(^|\/)\.gitattributes$/.test(path.toString('latin1')));
  if (attributes.length === 0) return;
  const modified = await modifiedFiles(git, baseTree, index);
  if (modified.length === 0) return;
  const lines = await asInCheckout(git, async () => {
    const env = { GIT_INDEX_FILE: join(git.dir, 'base-index'), GIT_WORK_TREE: git.scratch };
    const out = join(git.dir, 'checked-out');
    await mkdir(out, { mode: 0o700 });
    await git.run('restore', ['read-tree', baseTree], { env });
    const checkout = ['checkout-index', '--quiet', '-z', '--stdin'];
    // Into the working tree of these calls, where the way back looks for them.
    await git.run('restore', checkout, { env, input: joinNul(attributes) });
    const input = joinNul(modified.map(({ path }) => path));
    await git.run('restore', [...checkout, `--prefix=${out}/`], { env, input });
    const entries: Buffer[] = [];
    for (const file of modified) {
      const id = await storedForm(git, file, below(out, file.path), below(workspaceDir, file.path), env);
      if (id !== undefined) entries.push(Buffer.concat([Buffer.from(`${file.mode} ${id}\t`), file.path]));
    }
    return entries;
  });
  if (lines.length === 0) return;
  await git.run('restore', ['update-index', '-z', '--index-info'], { env: index, input: joinNul(lines) });
}

async function modifiedFiles(
  git: GitDir,
  baseTree: string,
  index: Readonly<Record<string, string>>,
): Promise<readonly Modified[]> {
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev', baseTree];
  const fields = splitNul(await git.run('restore', args, { env: index }));
  const modified: Modified[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [mode = '', newMode = '', id = '', , status = ''] = fields[i]?.toString('latin1').slice(1).split(' ') ?? [];
    if (status === 'M' && mode.startsWith('100') && newMode.startsWith('100')) {
      modified.push({ path: fields[i + 1] ?? Buffer.alloc(0), mode: newMode, id });
    }
  }
  return modified;
}

/** The node's own attributes switch conversion off; while `run` runs it is as in a checkout. No filter is configured. */
async function asInCheckout<T>(git: GitDir, run: () => Promise<T>): Promise<T> {
  const own = join(git.dir, 'info', 'attributes');
  const aside = join(git.dir, 'info', 'attributes-aside');
  await rename(own, aside);
  try {
    return await run();
  } finally {
    await rename(aside, own);
  }
}

/** The object that a file is in the base's form, or undefined where that form is the one on disk. */
async function storedForm(
  git: GitDir,
  file: Modified,
  written: Buffer,
  there: Buffer,
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if (!(await lstat(there)).isFile()) return undefined;
  const [before, now] = await Promise.all([readFile(written), readFile(there)]);
  if (before.equals(now)) return file.id;
  if (blobId(before, file.id.length) === file.id) return undefined;
  // Names that are no text have no attributes that could be asked for this way.
  const path = file.path.toString('utf8');
  if (!Buffer.from(path).equals(file.path)) return undefined;
  const made = await git.run('restore', ['hash-object', '-w', '--stdin', `--path=${path}`], { env, input: now });
  const id = made.toString('latin1').trim();
  if (id.length !== file.id.length) throw git.fail('restore', 'git made no object');
  return id;
}

/** What git calls this content. */
function blobId(content: Buffer, digits: number): string {
  const hash = createHash(digits === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}
