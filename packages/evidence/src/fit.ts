import type { OwnerRepository } from './owner-repository.ts';
import type { Quarantine } from './quarantine.ts';
import { splitNul, toRepoPath } from './raw-path.ts';
import type { RepoPath } from './types.ts';

/** How a result stands to what is checked out now. */
export type Fit =
  /** What is checked out is what the task began with, or older: the branch is ahead of it. */
  | { readonly kind: 'ahead' }
  /** Both have gone on since; a merge works without anybody's help. `commits`: how many are checked out since. */
  | { readonly kind: 'merges'; readonly commits: number }
  /** Both have changed the same; these files need a person. */
  | { readonly kind: 'conflicts'; readonly commits: number; readonly files: readonly RepoPath[] }
  /** What is checked out has nothing in common with the result. */
  | { readonly kind: 'unrelated' }
  /** Nothing is checked out yet. */
  | { readonly kind: 'no-commit' };

/** Tries the merge in the quarantine; no object, ref or file of the owner's is written. */
export async function fitOf(
  { git }: Quarantine,
  owner: OwnerRepository,
  changes: { readonly base: string | null; readonly head: string },
): Promise<Fit> {
  const now = await owner.commitOf('HEAD');
  if (now === undefined) return { kind: 'no-commit' };
  if (now === changes.base) return { kind: 'ahead' };
  const common = await git.ask('conflicts', [0, 1], ['merge-base', now, changes.head]);
  if (common.exitCode === 1) return { kind: 'unrelated' };
  if (common.stdout.toString('latin1').trim() === now) return { kind: 'ahead' };
  const since = await git.run('conflicts', ['rev-list', '--count', now, `^${changes.head}`]);
  const commits = Number(since.toString('latin1'));
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', now, changes.head];
  const merged = await git.ask('conflicts', [0, 1], args);
  if (merged.exitCode === 0) return { kind: 'merges', commits };
  return { kind: 'conflicts', commits, files: splitNul(merged.stdout).slice(1).map(toRepoPath) };
}
