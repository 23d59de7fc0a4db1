import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readRegular } from './read-regular.ts';

/** Longest file that names one path or one ref, bytes. */
const POINTER_BYTES = 64 * 1024;

/** Where the parts of a repository are; absolute, real paths. */
export interface RepositoryPlace {
  /** The folder that holds `.git`; undefined where the git directory itself was named, or a bare repository. */
  readonly workTree: string | undefined;
  /** What belongs to this working tree alone: HEAD and index. */
  readonly gitDir: string;
  /** What all working trees share; mostly the same folder. */
  readonly commonDir: string;
  readonly objects: string;
  readonly refs: string;
  /** What HEAD holds, as a file would. */
  readonly head: string;
}

/**
 * The repository that a folder is in, found as git finds one. Files are looked at and nothing is run: whoever wrote the
 * repository may have named programs for git to run there. Undefined where there is none.
 */
export async function locateRepository(dir: string): Promise<RepositoryPlace | undefined> {
  const from = await realpath(dir).catch(() => undefined);
  for (let folder = from; folder !== undefined; folder = above(folder)) {
    const own = join(folder, '.git');
    const found = await stat(own).catch(() => undefined);
    // A file says where to look, and nowhere else.
    if (found?.isFile()) return behindFile(own, folder);
    const gitDir = found?.isDirectory() ? await asGitDir(await realpath(own), folder) : undefined;
    const place = gitDir ?? (await asGitDir(folder, undefined));
    if (place !== undefined) return place;
  }
  return undefined;
}

function above(folder: string): string | undefined {
  return dirname(folder) === folder ? undefined : dirname(folder);
}

async function behindFile(file: string, workTree: string): Promise<RepositoryPlace | undefined> {
  const named = /^gitdir: (.+?)[\r\n]*$/s.exec((await pointer(file)) ?? '')?.[1];
  const gitDir = named && (await realpath(resolve(workTree, named)).catch(() => undefined));
  return gitDir ? asGitDir(gitDir, workTree) : undefined;
}

/** Undefined for a folder that git would take for none. */
async function asGitDir(gitDir: string, workTree: string | undefined): Promise<RepositoryPlace | undefined> {
  const head = await headOf(gitDir);
  if (head === undefined) return undefined;
  const named = (await pointer(join(gitDir, 'commondir')))?.replace(/[\r\n]+$/, '');
  const commonDir = await folderAt(named === undefined ? gitDir : resolve(gitDir, named));
  if (commonDir === undefined) return undefined;
  const [objects, refs] = await Promise.all(['objects', 'refs'].map((name) => folderAt(join(commonDir, name))));
  if (objects === undefined || refs === undefined) return undefined;
  return { workTree, gitDir, commonDir, objects, refs, head };
}

async function folderAt(path: string): Promise<string | undefined> {
  const isFolder = await stat(path)
    .then((found) => found.isDirectory())
    .catch(() => false);
  return isFolder ? realpath(path) : undefined;
}

/** What HEAD of a git directory holds; undefined where it holds neither a ref nor a commit. */
export async function headOf(gitDir: string): Promise<string | undefined> {
  const path = join(gitDir, 'HEAD');
  // In old repositories it is a link to the branch, which need not be there yet.
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink();
  const text = isLink ? `ref: ${await readlink(path)}\n` : await pointer(path);
  return text !== undefined && /^(ref:\s*refs\/|[0-9a-f]{40})/.test(text) ? text : undefined;
}

/** Undefined too for what git could not read. */
async function pointer(path: string): Promise<string | undefined> {
  return (await readRegular(path, POINTER_BYTES).catch(() => undefined))?.toString('utf8');
}
