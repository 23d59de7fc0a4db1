import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFixture, type Fixture } from './testing/fixture.ts';
import { listCommits } from './workspace-commits.ts';

describe('commits of a repository', () => {
  let f: Fixture;
  beforeEach(() => {
    f = createFixture();
  });
  afterEach(() => f.remove());
  const list = (limit = 10, repository = f.owner): Promise<readonly string[]> =>
    listCommits(f.gitWork, { repository, limit, timeoutMs: 60_000 });

  it('are none where there are none', async () => {
    expect(await list()).toEqual([]);
  });

  it('are those of branches, tags and a HEAD that is on no branch, as many as asked for', async () => {
    const first = f.commit(f.owner, 'first');
    f.git(f.owner, 'checkout', '--quiet', '-b', 'side');
    const side = f.commit(f.owner, 'side');
    f.git(f.owner, 'tag', 'kept', side);
    f.git(f.owner, 'checkout', '--quiet', '--detach', first);
    f.git(f.owner, 'branch', '--quiet', '-D', 'side');
    const head = f.commit(f.owner, 'on no branch');
    const all = await list();
    expect([...all].sort()).toEqual([first, side, head].sort());
    expect(await list(2)).toEqual(all.slice(0, 2));
  });

  it('cannot be told of what is no repository', async () => {
    await expect(list(1, f.root)).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });
});
