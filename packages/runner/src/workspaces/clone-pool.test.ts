import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHarness, type Harness } from '../testing/harness.ts';
import { commitFiles, makeRepository, ownersGit } from '../testing/repository.ts';

let harness: Harness;
let path: string;
let wanted: number;
let configured: string | undefined;
beforeEach(async () => {
  [wanted, configured] = [1, undefined];
  harness = await createHarness({
    storage: {
      rules: () => ({ failedMs: 1000, orphanedMs: 1000, budgetBytes: 1024 ** 3 }),
      isTimeBelieved: () => true,
      ready: (workspace) => ((configured ?? workspace.path) === workspace.path ? wanted : 0),
    },
  });
  path = makeRepository(join(harness.folder, 'source'), { 'file.txt': 'one\n' });
});
afterEach(async () => {
  await harness.runner.close();
  expect(await harness.leftovers()).toEqual([]);
  await harness.close();
});

const workspace = (ref?: string) => ({ name: 'app', path, ...(ref === undefined ? {} : { ref }) });

/** Waits until so many clones stand ready. */
async function untilReady(count: number): Promise<readonly string[]> {
  for (;;) {
    const { ready } = await harness.runner.storage.list();
    if (ready.length === count) return ready.map(({ dir }) => dir);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A folder, under whatever name; a number alone may be that of one that is gone. */
function folderOf(dir: string): string {
  const { ino, birthtimeNs } = statSync(dir, { bigint: true });
  return `${ino} ${birthtimeNs}`;
}

/** What a task finds in its clone, and whether that is what stood ready. */
async function take(
  ref?: string,
): Promise<{ readonly found: string; readonly wasReady: boolean; readonly base: string | undefined }> {
  const ready = (await untilReady(1)).map(folderOf);
  const script =
    'cat file.txt; git status --porcelain; git for-each-ref --format="%(refname) %(objectname)"; git symbolic-ref HEAD';
  const run = await harness.start(harness.spec(['sh', '-c', script], { workspace: workspace(ref) }));
  await run.done;
  const own = folderOf(join(run.files.dir, '..'));
  const found = await run.until('');
  run.release();
  return { found, wasReady: ready.includes(own), base: run.files.clone?.base };
}

/** The first task makes the pool, and shows what a clone of now is. */
async function fresh(ref?: string): Promise<string> {
  wanted = 0;
  await harness.runner.storage.sweep({ holdsWork: async () => false, transcriptsBeforeMs: 0, mayForget: () => false });
  const script =
    'cat file.txt; git status --porcelain; git for-each-ref --format="%(refname) %(objectname)"; git symbolic-ref HEAD';
  const { stdout } = await harness.run(['sh', '-c', script], { workspace: workspace(ref) });
  wanted = 1;
  return stdout;
}

describe('a clone that stands ready', () => {
  beforeEach(async () => {
    await harness.run(['true'], { workspace: workspace() });
  });

  it('is what the next task gets, to the last ref what a clone of now would be', async () => {
    const taken = await take();
    expect(taken).toMatchObject({ wasReady: true, base: ownersGit(path, 'rev-parse', 'HEAD') });
    expect(taken.found).toBe(await fresh());
  });

  it('is made anew behind whoever took it', async () => {
    await take();
    expect((await take()).wasReady).toBe(true);
  });

  it('is brought up to date where its source has only grown', async () => {
    await untilReady(1);
    const head = commitFiles(path, { 'file.txt': 'two\n', 'new.txt': 'n\n' });
    ownersGit(path, 'branch', 'topic');
    ownersGit(path, 'tag', 'v1');
    const taken = await take();
    expect(taken).toMatchObject({ wasReady: true, base: head });
    expect(taken.found).toBe(await fresh());
    expect(taken.found).toContain('two\n');
  });

  it('gives any branch, tag or commit', async () => {
    const first = ownersGit(path, 'rev-parse', 'HEAD');
    ownersGit(path, 'branch', 'topic');
    const head = commitFiles(path, { 'file.txt': 'two\n' });
    expect(await take('topic')).toMatchObject({ wasReady: true, base: first });
    expect(await take(head)).toMatchObject({ wasReady: true, base: head });
  });

  const otherwise: readonly [string, () => void][] = [
    ['a branch was moved back', () => void ownersGit(path, 'commit', '-q', '--amend', '--allow-empty', '-m', 'other')],
    ['a branch is gone', () => void ownersGit(path, 'branch', '-D', 'side')],
    [
      'a tag stands elsewhere',
      () => {
        const head = commitFiles(path, { 'file.txt': 'two\n' });
        ownersGit(path, 'tag', '-f', 'v0', head);
      },
    ],
    ['HEAD is another branch', () => void ownersGit(path, 'checkout', '-q', '-b', 'elsewhere')],
    ['HEAD is detached', () => void ownersGit(path, 'checkout', '-q', '--detach')],
    ['attributes have changed', () => void commitFiles(path, { '.gitattributes': '*.txt eol=crlf\n' })],
    [
      'another repository stands in its place',
      () => {
        rmSync(path, { recursive: true });
        makeRepository(path, { 'file.txt': 'another\n' });
      },
    ],
  ];
  it.each(otherwise)('is given up where %s, and the task gets a clone of now', async (_, change) => {
    // One that is still being made would come too late to be removed, and know nothing of these.
    await untilReady(1);
    ownersGit(path, 'branch', 'side');
    ownersGit(path, 'tag', 'v0');
    wanted = 0;
    await harness.runner.storage.sweep({
      holdsWork: async () => false,
      transcriptsBeforeMs: 0,
      mayForget: () => false,
    });
    wanted = 1;
    await harness.run(['true'], { workspace: workspace() });
    await untilReady(1);
    change();
    const taken = await take();
    expect(taken.wasReady).toBe(false);
    expect(taken.found).toBe(await fresh());
    expect(taken.base).toBe(ownersGit(path, 'rev-parse', 'HEAD'));
  });

  it('has nothing of what its source has dropped', async () => {
    const lost = commitFiles(path, { 'file.txt': 'secret\n' });
    await take();
    await untilReady(1);
    ownersGit(path, 'reset', '-q', '--hard', 'HEAD^');
    ownersGit(path, 'reflog', 'expire', '--expire=now', '--all');
    ownersGit(path, 'gc', '-q', '--prune=now');
    const { stdout } = await harness.run(['sh', '-c', `git cat-file -e ${lost} 2>/dev/null && echo there; true`], {
      workspace: workspace(),
    });
    expect(stdout).toBe('');
  });

  it('is not used where its source cannot be read, and the error is that of a clone', async () => {
    await untilReady(1);
    rmSync(join(path, '.git', 'HEAD'));
    await expect(harness.run(['true'], { workspace: workspace() })).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect((await harness.runner.storage.list()).ready).toEqual([]);
  });

  it('goes with the next sweep where it is not wanted any more', async () => {
    const [dir = ''] = await untilReady(1);
    wanted = 0;
    await harness.runner.storage.sweep({
      holdsWork: async () => false,
      transcriptsBeforeMs: 0,
      mayForget: () => false,
    });
    expect((await harness.runner.storage.list()).ready).toEqual([]);
    await harness.runner.close();
    expect(existsSync(dir)).toBe(false);
  });

  it('goes too where its workspace is elsewhere now', async () => {
    await untilReady(1);
    configured = join(harness.folder, 'elsewhere');
    await harness.runner.storage.sweep({
      holdsWork: async () => false,
      transcriptsBeforeMs: 0,
      mayForget: () => false,
    });
    expect((await harness.runner.storage.list()).ready).toEqual([]);
  });

  it('that cannot be taken is passed over: the task gets a clone of now', async () => {
    const [dir = ''] = await untilReady(1);
    rmSync(dir, { recursive: true });
    const { stdout } = await harness.run(['cat', 'file.txt'], { workspace: workspace() });
    expect(stdout).toBe('one\n');
  });

  it('is not made where there is no room, or nothing is wanted', async () => {
    await untilReady(1);
    const small = await createHarness({
      storage: {
        rules: () => ({ failedMs: 1, orphanedMs: 1, budgetBytes: 0 }),
        isTimeBelieved: () => true,
        ready: () => 2,
      },
    });
    await small.run(['true'], { workspace: workspace() });
    await small.runner.close();
    expect(readdirSync(join(small.folder, 'workspaces')).filter((name) => name.startsWith('ready-'))).toEqual([]);
    await small.close();
  });
});

describe('what a node leaves that was killed', () => {
  it('of clones that stood ready is removed by the next, half made ones too', async () => {
    const workspaces = join(harness.folder, 'workspaces');
    await harness.run(['true']);
    const left = join(workspaces, 'ready-0011223344');
    makeRepository(join(left, 'work'), { x: 'x' });
    writeFileSync(join(left, 'work', '.git', 'index.lock'), '');
    const { folder } = harness;
    const root = {
      workspaces,
      ...{
        transcripts: join(folder, 't'),
        outputs: join(folder, 'o'),
        sockets: join(folder, 'n2'),
        secrets: join(folder, 's'),
      },
    };
    const next = await createHarness({ root });
    await next.close();
    expect(existsSync(left)).toBe(false);
  });
});
