import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectEvidence, hasChanges } from './collect.ts';
import { shipTaskFiles } from './ship-task.ts';
import { createFixture, type Fixture } from './testing/fixture.ts';

const FILES = { 'top.txt': 'top\n', 'a/n.txt': 'a\n', 'b/n.txt': 'b\n', 'b/c/n.txt': 'c\n', 'b/c/m.txt': 'm\n' };

describe('a task that keeps a part of its clone off the disk', () => {
  let f: Fixture;
  let base: string;
  beforeEach(() => {
    f = createFixture();
    f.write(f.owner, FILES);
    f.git(f.owner, 'add', '--all');
    f.git(f.owner, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},b/sub`);
    f.git(f.owner, 'commit', '--quiet', '-m', 'base');
    base = f.git(f.owner, 'rev-parse', 'HEAD');
    f.clone();
  });
  afterEach(() => f.remove());

  const told = async (): Promise<readonly string[]> => {
    const changes = await collectEvidence(f.request(base));
    return changes.kind === 'changed' ? changes.files.map(({ status, path }) => `${status} ${path}`) : [];
  };
  const work = (...args: string[]): string => f.git(f.work, ...args);

  it.each<readonly [string, () => void]>([
    ['a sparse checkout', () => work('sparse-checkout', 'set', 'a')],
    ['one whose index leaves its folders out', () => work('sparse-checkout', 'set', '--sparse-index', 'a')],
    [
      'files that git is to pass over',
      () => {
        const names = ['b/n.txt', 'b/c/n.txt', 'b/c/m.txt', 'b/sub'];
        work('update-index', '--skip-worktree', ...names);
        rmSync(join(f.work, 'b'), { recursive: true });
      },
    ],
  ])('has deleted nothing of it: %s', async (_, narrow) => {
    narrow();
    expect(await told()).toEqual([]);
    expect(await hasChanges(f.request(base))).toBe(false);
    f.write(f.work, { 'a/z.txt': 'z\n', 'b/n.txt': 'written all the same\n', 'b/new.txt': 'n\n' });
    rmSync(join(f.work, 'top.txt'));
    expect(await told()).toEqual(['A a/z.txt', 'M b/n.txt', 'A b/new.txt', 'D top.txt']);
    const shipped = await shipTaskFiles({ ...f.request(base), base });
    expect(shipped.bundle).toBeDefined();
  });

  it('has deleted what its git would call deleted', async () => {
    work('update-index', '--assume-unchanged', 'b/n.txt');
    work('update-index', '--skip-worktree', 'b/c/n.txt', 'b/c/m.txt');
    rmSync(join(f.work, 'b'), { recursive: true });
    work('update-index', '--force-remove', 'b/c/m.txt');
    expect(await told()).toEqual(['D b/c/m.txt', 'D b/n.txt', 'D b/sub']);
  });

  it('has replaced what something else is in the place of', async () => {
    work('sparse-checkout', 'set', 'a');
    symlinkSync('a', join(f.work, 'b'));
    expect(await told()).toEqual(['A b', 'D b/c/m.txt', 'D b/c/n.txt', 'D b/n.txt', 'D b/sub']);
    rmSync(join(f.work, 'b'));
    f.write(f.work, { 'b/c': 'a file\n' });
    expect(await told()).toEqual(['A b/c', 'D b/c/m.txt', 'D b/c/n.txt']);
    rmSync(join(f.work, 'b/c'));
    mkdirSync(join(f.work, 'b/c/n.txt'), { recursive: true });
    expect(await told()).toEqual([]);
  });

  it.each<readonly [string, readonly string[]]>([
    ['', ['b/n.txt']],
    [' in a folder that its index leaves out', ['b/c/n.txt', '--sparse-index']],
    [' that is new', ['b/new.txt']],
  ])('has no evidence where it kept a change off the disk%s', async (_, [path = '', ...how]) => {
    f.write(f.work, { [path]: 'changed\n' });
    f.commit(f.work);
    work('sparse-checkout', 'set', ...how, 'a');
    await expect(told()).rejects.toMatchObject({ code: 'EVIDENCE_FAILED' });
    await expect(hasChanges(f.request(base))).rejects.toMatchObject({ code: 'EVIDENCE_FAILED' });
    work('sparse-checkout', 'disable');
    expect(await told()).toEqual([`${path in FILES ? 'M' : 'A'} ${path}`]);
  });

  it('says what to do about a change that it kept off the disk', async () => {
    f.write(f.work, { 'b/n.txt': 'changed\n' });
    f.commit(f.work);
    work('sparse-checkout', 'set', 'a');
    await expect(told()).rejects.toMatchObject({
      message: expect.stringContaining('`b/n.txt` was changed in the index and kept off the disk'),
      nextSteps: [expect.stringContaining('git sparse-checkout disable'), expect.stringContaining('b/n.txt')],
    });
  });

  it('can move a submodule that it keeps off the disk', async () => {
    work('sparse-checkout', 'set', 'a');
    work('update-index', '--cacheinfo', `160000,${'2'.repeat(40)},b/sub`);
    work('update-index', '--skip-worktree', 'b/sub');
    expect(await told()).toEqual(['M b/sub']);
  });
});
