import type { GitDir } from './git-dir.ts';
import { splitNul, toRepoPath } from './raw-path.ts';
import type { ChangedFile } from './types.ts';

/** How trees are compared, so that the answer depends on nothing but the trees. */
const DIFF = ['diff-tree', '-r', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color', '-O/dev/null'];
const PATCH = [
  '--patch',
  '--binary',
  '--full-index',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--unified=3',
  '--inter-hunk-context=0',
  '--diff-algorithm=myers',
  '--indent-heuristic',
  '--submodule=short',
  '--ignore-submodules=none',
];
const COLON = 0x3a;
const STATUSES = ['A', 'M', 'D', 'T'] as const;

/** The files that differ between two trees, in the order of their bytes. */
export async function changedFiles(
  git: GitDir,
  from: string,
  to: string,
  maxFiles: number,
): Promise<readonly ChangedFile[]> {
  const told = splitNul(await git.run('changes', [...DIFF, '-z', '--raw', '--no-abbrev', '--numstat', from, to]));
  // First two fields for each file, the first of them with a colon in front; then one with its lines.
  let rawFields = 0;
  while (told[rawFields]?.[0] === COLON) rawFields += 2;
  const [raw, counted] = [told.slice(0, rawFields), told.slice(rawFields)];
  const lines = new Map(counted.map((entry) => readCount(git, entry)));
  if (raw.length % 2 !== 0 || raw.length !== 2 * lines.size) throw git.fail('changes', 'two lists of files differ');
  if (lines.size > maxFiles) throw git.fail('changes', `more than ${maxFiles} files have changed`);
  const files: ChangedFile[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const [oldMode = '', mode = '', , , letter = ''] = raw[i]?.toString('latin1').slice(1).split(' ') ?? [];
    const path = raw[i + 1] ?? Buffer.alloc(0);
    const status = STATUSES.find((known) => known === letter);
    const count = lines.get(path.toString('latin1'));
    if (status === undefined || count === undefined) throw git.fail('changes', 'git told of a change of unknown kind');
    files.push({ ...toRepoPath(path), status, oldMode, mode, ...count });
  }
  return files;
}

/** Writes the binary patch from one tree to another into a file. */
export async function writePatch(git: GitDir, from: string, to: string, file: string): Promise<void> {
  await git.run('patch', [...DIFF, ...PATCH, `--output=${file}`, from, to]);
}

/** Sums over all files; binary ones count no lines. */
export function diffstat(files: readonly ChangedFile[]): { readonly insertions: number; readonly deletions: number } {
  const sum = (pick: (file: ChangedFile) => number | null): number =>
    files.reduce((total, file) => total + (pick(file) ?? 0), 0);
  return { insertions: sum((file) => file.insertions), deletions: sum((file) => file.deletions) };
}

type Count = Pick<ChangedFile, 'insertions' | 'deletions'>;

function readCount(git: GitDir, entry: Buffer): [string, Count] {
  const match = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/.exec(entry.toString('latin1'));
  if (match === null) throw git.fail('changes', 'git counted no lines');
  const number = (text = '-'): number | null => (text === '-' ? null : Number(text));
  return [match[3] ?? '', { insertions: number(match[1]), deletions: number(match[2]) }];
}
