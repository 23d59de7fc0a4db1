import { inOwnerRepository } from './owner-repository.ts';
import type { GitWork } from './types.ts';

/**
 * Full ids of the commits that HEAD, branches and tags of a repository lead to, newest first, at most `limit`; none in a
 * repository without commits. Throws GIT_FAILED.
 */
export async function listCommits(
  work: GitWork,
  request: { readonly repository: string; readonly limit: number; readonly timeoutMs: number },
): Promise<readonly string[]> {
  const { repository, limit, timeoutMs } = request;
  return inOwnerRepository(work, repository, { code: 'GIT_FAILED', timeoutMs }, async (owner) => {
    const head = await owner.commitOf('HEAD');
    const from = ['--branches', '--tags', ...(head === undefined ? [] : [head])];
    const { text } = await owner.ask('inspect', [0], ['rev-list', `--max-count=${limit}`, ...from]);
    return text === '' ? [] : text.split('\n');
  });
}
