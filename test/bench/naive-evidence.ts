import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Changes, ContentStore } from '@writ/evidence';

/** What a person would type to know what has changed, and to take it along. */
export interface NaiveEvidence {
  readonly tree: string;
  /** `M\0path\0…` */
  readonly nameStatus: Buffer;
  readonly numstat: Buffer;
  readonly patch: Buffer;
}

const IDENTITY = ['-c', 'user.name=b', '-c', 'user.email=b@example.org'];
/** The form of a patch that depends on nobody's settings. */
const PATCH = ['diff', '--cached', '--binary', '--full-index', '--no-renames', '--no-color', '--no-ext-diff'];

/** Seven commands, one after the other. */
export function naiveEvidence(dir: string, base: string): NaiveEvidence {
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', [...IDENTITY, ...args], { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1024 ** 3 });
  git('status', '--porcelain', '--untracked-files=all');
  git('add', '--all');
  const nameStatus = git('diff', '--cached', '--no-renames', '--name-status', '-z', base);
  const numstat = git('diff', '--cached', '--no-renames', '--numstat', '-z', base);
  const patch = git(...PATCH, base);
  git('commit', '--quiet', '-m', 'work');
  git('bundle', 'create', '--quiet', join(dir, '.git', 'bundle'), `${base}..HEAD`, 'HEAD');
  const tree = git('rev-parse', 'HEAD^{tree}').toString().trim();
  return { tree, nameStatus, numstat, patch };
}

/** Rejects unless both say the same, byte for byte. */
export async function sameFacts(changes: Changes, naive: NaiveEvidence, store: ContentStore): Promise<void> {
  if (changes.kind !== 'changed') throw new Error('evidence says that nothing has changed');
  const nameStatus = changes.files.map(({ status, path }) => `${status}\0${path}\0`).join('');
  const numstat = changes.files
    .map(({ insertions, deletions, path }) => `${insertions}\t${deletions}\t${path}\0`)
    .join('');
  const patch = await store.load(changes.patch.sha256, changes.patch.bytes);
  const same = [
    changes.tree === naive.tree,
    nameStatus === naive.nameStatus.toString(),
    numstat === naive.numstat.toString(),
    naive.patch.equals(patch),
  ];
  if (!same.every(Boolean)) throw new Error(`tree, files, lines, patch: the same? ${same.join(', ')}`);
}
