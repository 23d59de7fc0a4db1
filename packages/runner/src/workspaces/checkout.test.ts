import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHarness, type Harness } from '../testing/harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(async () => {
  await harness.runner.close();
  expect(await harness.leftovers()).toEqual([]);
  await harness.close();
});

const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
const git = (path: string, ...args: string[]): string =>
  execFileSync('git', [...IDENTITY, ...args], { cwd: path, encoding: 'utf8' }).trim();

/** A repository with `file.txt` committed, on branch `main`. */
function repository(name: string): string {
  const path = join(harness.folder, 'sources', name);
  mkdirSync(path, { recursive: true });
  git(path, 'init', '-q', '-b', 'main');
  writeFileSync(join(path, 'file.txt'), 'committed\n');
  git(path, 'add', '.');
  git(path, 'commit', '-q', '-m', 'first');
  return path;
}

const within = (path: string, ref?: string) => ({
  workspace: { name: 'app', path, ...(ref === undefined ? {} : { ref }) },
});
const sh = (script: string): string[] => ['sh', '-c', script];

describe('a workspace', () => {
  it('is a clone of what is committed, and the source does not notice', async () => {
    const path = repository('plain');
    writeFileSync(join(path, 'file.txt'), 'dirty\n');
    writeFileSync(join(path, 'untracked.txt'), 'x');
    const before = git(path, 'status', '--porcelain');
    const { stdout } = await harness.run(
      sh('cat file.txt; ls; git symbolic-ref HEAD; echo mine > file.txt; git config a.b c; git checkout -q -b other'),
      within(path),
    );
    expect(stdout).toBe('committed\nfile.txt\nrefs/heads/main\n');
    expect(git(path, 'status', '--porcelain')).toBe(before);
    expect(git(path, 'branch', '--list')).toBe('* main');
    expect(git(path, 'config', '--local', '--list')).not.toContain('a.b');
  });

  it('of a partial clone is told as that where its objects are not all there, and is taken when they are', async () => {
    const whole = repository('whole');
    git(whole, 'config', 'uploadpack.allowFilter', 'true');
    const partial = join(harness.folder, 'sources', 'partial');
    git(whole, 'clone', '--quiet', '--no-checkout', '--filter=blob:none', `file://${whole}`, partial);
    await expect(harness.run(sh('cat file.txt'), within(partial))).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('it is a partial clone, and lacks some of its objects'),
      nextSteps: [expect.stringContaining(`git -C ${partial} fetch --refetch --no-filter`), expect.anything()],
    });
    git(partial, 'fetch', '--quiet', '--refetch', '--no-filter');
    expect((await harness.run(sh('cat file.txt'), within(partial))).stdout).toBe('committed\n');
  });

  it('shares no inode and no object store with its source, and has no hooks', async () => {
    const path = repository('apart');
    writeFileSync(join(path, '.git', 'hooks', 'post-checkout'), '#!/bin/sh\ntouch /tmp/never\n', { mode: 0o755 });
    const { stdout } = await harness.run(
      sh(
        'find .git/objects -type f -links +1; ls -A .git/hooks .git/objects/info/alternates 2>/dev/null; test -d .git && echo own',
      ),
      within(path),
    );
    expect(stdout).toBe('own\n');
  });

  it('has nothing that its source dropped, stashed or only staged', async () => {
    const path = repository('dropping');
    const write = (text: string) => writeFileSync(join(path, 'file.txt'), text);
    write('only staged');
    git(path, 'add', 'file.txt');
    git(path, 'reset', '-q');
    write('stashed');
    git(path, 'stash', '-q');
    const { stdout } = await harness.run(sh('git fsck --unreachable --no-reflogs; git count-objects -v'), within(path));
    expect(stdout).not.toContain('unreachable');
  });

  it('borrows no objects where its source borrows some', async () => {
    const owner = repository('owner');
    const path = join(harness.folder, 'sources', 'borrower');
    git(owner, 'clone', '-q', '--shared', owner, path);
    expect(statSync(join(path, '.git/objects/info/alternates')).isFile()).toBe(true);
    const { stdout } = await harness.run(sh('cat file.txt; cat .git/objects/info/alternates'), within(path));
    expect(stdout).toBe('committed\n');
  });

  it('cannot be pushed from', async () => {
    const path = repository('no-push');
    const { report } = await harness.run(sh('git push origin HEAD:refs/heads/sneaked'), within(path));
    expect(report.ending).not.toEqual({ kind: 'exit', exitCode: 0 });
    expect(git(path, 'branch', '--list')).toBe('* main');
  });

  it('may have a name with newlines, spaces, colons or a leading dash', async () => {
    for (const name of ['-u', 'a\nb', 'a b:c', "quo'te"]) {
      expect((await harness.run(sh('cat file.txt'), within(repository(name)))).stdout).toBe('committed\n');
    }
  });

  it('works without commits', async () => {
    const path = join(harness.folder, 'sources', 'empty');
    mkdirSync(path, { recursive: true });
    git(path, 'init', '-q', '-b', 'main');
    expect((await harness.run(sh('git status --porcelain; ls'), within(path))).stdout).toBe('');
    await expect(harness.run(['true'], within(path, 'main'))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('needs a repository: the error names workspace and path', async () => {
    const plain = join(harness.folder, 'sources', 'no-repository');
    mkdirSync(plain, { recursive: true });
    await expect(harness.run(['true'], within(plain))).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringMatching(/^workspace `app` cannot be cloned from `.*no-repository`: /),
    });
    await expect(harness.run(['true'], within(`${plain}-absent`))).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringMatching(/^workspace `app`: there is no folder `.*no-repository-absent`$/),
    });
  });
});

describe('a ref', () => {
  it('is a branch, a tag or a commit, full or short', async () => {
    const path = repository('refs');
    const first = git(path, 'rev-parse', 'HEAD');
    git(path, 'tag', '-a', 'v1', '-m', 'one');
    git(path, 'checkout', '-q', '-b', 'topic/a');
    appendFileSync(join(path, 'file.txt'), 'more\n');
    git(path, 'commit', '-q', '-a', '-m', 'second');
    const second = git(path, 'rev-parse', 'HEAD');
    git(path, 'checkout', '-q', 'main');
    const show = sh('git rev-parse HEAD; git symbolic-ref -q --short HEAD || echo detached');
    const at = async (ref: string): Promise<string> => (await harness.run(show, within(path, ref))).stdout;
    expect(await at('topic/a')).toBe(`${second}\ntopic/a\n`);
    expect(await at('refs/heads/topic/a')).toBe(`${second}\ntopic/a\n`);
    expect(await at('v1')).toBe(`${first}\ndetached\n`);
    expect(await at('HEAD')).toBe(`${first}\nmain\n`);
    expect(await at(second)).toBe(`${second}\ndetached\n`);
    expect(await at(second.slice(0, 8))).toBe(`${second}\ndetached\n`);
    expect(await at('main')).toBe(`${first}\nmain\n`);
  });

  it('that does not exist is told by name', async () => {
    const path = repository('no-ref');
    for (const ref of ['absent', 'deadbeef', 'refs/tags/main']) {
      await expect(harness.run(['true'], within(path, ref))).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: `workspace \`app\` has no branch, tag or commit \`${ref}\``,
      });
    }
  });

  it('that is an option, an expression or holds control characters is refused', async () => {
    const path = repository('bad-ref');
    for (const ref of ['--upload-pack=x', '-', '', 'a\nb', 'main~1', 'HEAD@{1}', 'a..b', 'main:file.txt', 'ma*']) {
      await expect(harness.run(['true'], within(path, ref))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
  });
});
