import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHarness, type Harness } from './testing/harness.ts';
import type { RunSpec } from './types.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
const git = (path: string, ...args: string[]): string =>
  execFileSync('git', [...IDENTITY, ...args], { cwd: path, encoding: 'utf8' }).trim();
const sh = (script: string): readonly string[] => ['sh', '-c', script];

/** A repository with one commit. */
function repository(name: string, ...init: string[]): string {
  const path = join(harness.folder, 'sources', name);
  mkdirSync(path, { recursive: true });
  git(path, 'init', '-q', '-b', 'main', ...init);
  return path;
}

function commit(path: string, content: string): string {
  writeFileSync(join(path, 'file.txt'), content);
  git(path, 'add', '.');
  git(path, 'commit', '-q', '-m', content);
  return git(path, 'rev-parse', 'HEAD');
}

const app = (path: string, more: Partial<NonNullable<RunSpec['workspace']>> = {}): Partial<RunSpec> => ({
  workspace: { name: 'app', path, ...more },
});

describe('the files of a run', () => {
  it('stay when its processes are gone, until it is released', async () => {
    const run = await harness.start(harness.spec(sh('echo kept > made; pwd')));
    const { dir } = run.files;
    await run.done;
    expect(run.files).toEqual({ dir: expect.stringMatching(/\/workspaces\/run-[0-9a-f]{32}\/work$/) });
    expect(await run.until('\n')).toBe(`${dir}\n`);
    expect(readFileSync(join(dir, 'made'), 'utf8')).toBe('kept\n');
    run.release();
    run.release();
    await harness.runner.close();
    expect(existsSync(dir)).toBe(false);
    run.release();
    expect(await harness.leftovers()).toEqual([]);
  });

  it('are removed by nobody while the run goes on', async () => {
    const run = await harness.start(harness.spec(sh('echo up; exec sleep 300')));
    await run.until('up');
    run.release();
    expect(existsSync(run.files.dir)).toBe(true);
    await harness.run(['true']);
    expect(existsSync(run.files.dir)).toBe(true);
    run.stop({ kind: 'cancel', cause: 'enough' });
    await run.done;
    await harness.runner.close();
    expect(await harness.leftovers()).toEqual([]);
  });

  it('are removed when the runner closes, released or not', async () => {
    const over = await harness.start(harness.spec(sh('echo x > made')));
    await over.done;
    await harness.start(harness.spec(sh('echo x > made; exec sleep 300')));
    await harness.runner.close();
    expect(await harness.leftovers()).toEqual([]);
  });
});

describe('the clone of a run', () => {
  it('tells the commit that it began with, whatever the run makes of its repository', async () => {
    const path = repository('plain');
    const base = commit(path, 'first');
    const script = 'git -c user.name=t -c user.email=t@e commit -q --allow-empty -m x; git rev-parse HEAD';
    const run = await harness.start(harness.spec(sh(script), app(path)));
    const { clone } = run.files;
    await run.done;
    expect(clone).toEqual({ base, objectFormat: 'sha1', source: path });
    expect(await run.until('\n')).not.toBe(`${base}\n`);
  });

  it('tells the commit of a ref, and the format of its objects', async () => {
    const path = repository('long', '--object-format=sha256');
    const first = commit(path, 'first');
    git(path, 'tag', '-a', 'v1', '-m', 'one');
    commit(path, 'second');
    const run = await harness.start(harness.spec(['true'], app(path, { ref: 'v1' })));
    expect(run.files.clone).toEqual({ base: first, objectFormat: 'sha256', source: path });
    await run.done;
  });

  it('has no base where its repository has no commit', async () => {
    for (const objectFormat of ['sha1', 'sha256']) {
      const path = repository(`empty-${objectFormat}`, `--object-format=${objectFormat}`);
      const run = await harness.start(harness.spec(['true'], app(path)));
      expect(run.files.clone).toEqual({ objectFormat, source: path });
      await run.done;
    }
  });
});

describe('work that was sent along', () => {
  const show = sh('cat file.txt; git rev-parse HEAD; git branch -r; git symbolic-ref -q HEAD || echo detached');

  /** A bare repository that borrows from `owner` and holds one commit more, which no branch leads to. */
  function quarantine(owner: string): { readonly repository: string; readonly commit: string } {
    const bare = join(harness.folder, 'quarantine');
    git(harness.folder, 'init', '-q', '--bare', bare);
    mkdirSync(join(bare, 'objects/info'), { recursive: true });
    writeFileSync(join(bare, 'objects/info/alternates'), `${join(owner, '.git/objects')}\n`);
    const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: bare, input: 'sent\n' }).toString();
    const entry = `100644 blob ${blob.trim()}\tfile.txt\n`;
    const tree = execFileSync('git', ['mktree'], { cwd: bare, input: entry }).toString().trim();
    const head = git(bare, 'commit-tree', '-m', 'sent', '-p', git(owner, 'rev-parse', 'HEAD'), tree);
    return { repository: bare, commit: head };
  }

  it('is checked out on top of what the workspace has', async () => {
    const path = repository('owner');
    commit(path, 'committed\n');
    const shipped = quarantine(path);
    const run = await harness.start(harness.spec(show, app(path, { ref: 'absent', shipped })));
    await run.done;
    expect(run.files.clone).toEqual({ base: shipped.commit, objectFormat: 'sha1', source: shipped.repository });
    expect(await run.until('detached')).toBe(
      `sent\n${shipped.commit}\n  origin/HEAD -> origin/main\n  origin/main\ndetached\n`,
    );
    expect(existsSync(join(run.files.dir, '.git/objects/info/alternates'))).toBe(false);
    expect(git(path, 'for-each-ref')).not.toContain(shipped.commit);
  });

  it('may be a commit that the workspace has, also where no branch leads to it', async () => {
    const path = repository('owner');
    const first = commit(path, 'first\n');
    const lost = commit(path, 'lost\n');
    git(path, 'reset', '-q', '--hard', first);
    for (const id of [first, lost]) {
      const run = await harness.start(harness.spec(show, app(path, { shipped: { repository: path, commit: id } })));
      await run.done;
      expect(run.files.clone).toEqual({ base: id, objectFormat: 'sha1', source: path });
      expect(await run.until('detached')).toContain(`\n${id}\n`);
    }
  });

  it('is refused where it is not there, or is no full commit id', async () => {
    const path = repository('owner');
    const head = commit(path, 'first\n');
    for (const [id, code] of [
      ['1'.repeat(40), 'GIT_FAILED'],
      [git(path, 'rev-parse', 'HEAD^{tree}'), 'GIT_FAILED'],
      [head.slice(0, 12), 'BAD_REQUEST'],
      ['--upload-pack=x', 'BAD_REQUEST'],
    ] as const) {
      const shipped = { repository: path, commit: id };
      await expect(harness.run(['true'], app(path, { shipped }))).rejects.toMatchObject({ code });
    }
    await harness.runner.close();
    expect(await harness.leftovers()).toEqual([]);
  });
});
