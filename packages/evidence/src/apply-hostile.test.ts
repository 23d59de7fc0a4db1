import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isWritError, type WritError } from '@writ/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApplyRequest, applyResult } from './apply.ts';
import { collectEvidence } from './collect.ts';
import type { Result } from './result-schema.ts';
import { shipWorkingTree } from './ship.ts';
import { BUNDLE_LIMITS, createFixture, type Fixture, LIMITS, NODE_ID, TASK } from './testing/fixture.ts';
import { createEvidenceNodes, type EvidenceNodes } from './testing/nodes.ts';
import type { Changes } from './types.ts';

type Changed = Extract<Changes, { kind: 'changed' }>;
const BRANCH = `writ/${TASK}`;

let template: Fixture;
let f: Fixture;
let nodes: EvidenceNodes;
let base: string;
let changes: Changed;
let mark: string;
beforeAll(async () => {
  template = createFixture();
  nodes = await createEvidenceNodes(2);
  template.write(template.owner, { 'a.txt': 'one\n', 'b.txt': 'b\n' });
  base = template.commit(template.owner);
  template.clone();
  template.write(template.work, { 'a.txt': '2\n', 'new.txt': 'n\n' });
  changes = (await collectEvidence(template.request(base))) as Changed;
});
afterAll(() => {
  template.remove();
  nodes.remove();
});
beforeEach(() => {
  f = createFixture({ from: template });
  mark = join(f.root, 'mark');
});
afterEach(() => f.remove());

const apply = async (more: Partial<ApplyRequest> = {}) =>
  applyResult({
    ...f.gitWork,
    guard: f.guard,
    result: nodes.sign(nodes.nodes, { task: TASK, changes: changes as Result['changes'] }).result,
    bundleFile: await f.store.pathOf(changes.bundle.sha256),
    repository: f.owner,
    check: false,
    checkout: false,
    limits: BUNDLE_LIMITS,
    ...more,
  });
const failure = async (work: Promise<unknown>): Promise<WritError> => {
  const error: unknown = await work.then(
    () => new Error('it was not refused'),
    (thrown) => thrown,
  );
  if (!isWritError(error)) throw error;
  return error;
};
/** A program that tells that it was run; `then`: what it does besides. */
const program = (then = ''): string => {
  const file = join(f.root, 'program');
  writeFileSync(file, `#!/bin/sh\necho run >> '${mark}'\n${then}\n`);
  chmodSync(file, 0o755);
  return file;
};
/** Whether the program was run since the last time that this was asked. */
const wasRun = (): boolean => {
  const was = existsSync(mark);
  rmSync(mark, { force: true });
  return was;
};
const borrowing = (): string => {
  const dir = join(f.root, 'borrowing');
  f.git(f.root, 'clone', '--quiet', '--shared', f.owner, dir);
  return dir;
};

describe('what a repository names is not run by whoever applies to it', () => {
  it('when it borrows objects and names a program that tells what is there', async () => {
    const repository = borrowing();
    f.git(repository, 'config', 'core.alternateRefsCommand', program());
    f.write(f.work, { 'c.txt': 'c\n' });
    const other = f.commit(f.work);
    f.git(repository, 'fetch', '--quiet', f.work, other);
    // Git with these settings runs it.
    expect(wasRun()).toBe(true);
    expect(await apply({ repository })).toMatchObject({ kind: 'applied' });
    expect(wasRun()).toBe(false);
    expect(f.git(repository, 'show', `${BRANCH}:a.txt`)).toBe('2');
    f.git(repository, '-c', 'core.alternateRefsCommand=', 'fsck', '--strict');
    expect(wasRun()).toBe(false);
  });

  it('when an object that is asked for is promised by a program', async () => {
    f.git(f.owner, 'config', 'core.repositoryFormatVersion', '1');
    f.git(f.owner, 'config', 'extensions.partialClone', 'evil');
    f.git(f.owner, 'config', 'remote.evil.promisor', 'true');
    f.git(f.owner, 'config', 'remote.evil.url', f.work);
    f.git(f.owner, 'config', 'remote.evil.uploadpack', program());
    const absent = '1'.repeat(40);
    const asked = ['rev-parse', '--quiet', '--verify', `${absent}^{commit}`];
    expect(() => execFileSync('git', asked, { cwd: f.owner, stdio: 'ignore' })).toThrow();
    expect(wasRun()).toBe(true);
    const result = nodes.sign(nodes.nodes, {
      task: TASK,
      changes: { ...changes, base: absent } as Result['changes'],
    }).result;
    expect(await failure(apply({ result }))).toMatchObject({ code: 'CONFLICT' });
    expect(wasRun()).toBe(false);
    expect(await apply()).toMatchObject({ kind: 'applied' });
    expect(wasRun()).toBe(false);
  });

  it.each(['smudge', 'process'])(
    'when files would go through its %s: what is checked out would be other bytes',
    async (kind) => {
      f.git(f.owner, 'config', `filter.evil.${kind}`, program(kind === 'smudge' ? 'exec cat' : ''));
      f.write(f.owner, { '.git/info/attributes': '* filter=evil\n' });
      rmSync(join(f.owner, 'b.txt'));
      // It fails where the filter ends before git has spoken to it.
      spawnSync('git', ['checkout', '--quiet', '--', 'b.txt'], { cwd: f.owner, stdio: 'ignore' });
      expect(wasRun()).toBe(true);
      const refused = await failure(apply({ checkout: true }));
      expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('filter `evil`') });
      expect(f.git(f.owner, 'branch', '--list', BRANCH)).toBe('');
      expect(await apply()).toMatchObject({ kind: 'applied', checkedOut: false });
      expect(wasRun()).toBe(false);
    },
  );

  it('when settings, hooks and a repository inside name monitors, and its working tree is switched', async () => {
    f.git(f.owner, 'clone', '--quiet', f.work, 'sub');
    f.git(f.owner, 'add', 'sub');
    f.git(f.owner, 'commit', '--quiet', '-m', 'gitlink');
    f.git(join(f.owner, 'sub'), 'config', 'core.fsmonitor', program());
    f.git(f.owner, 'status');
    expect(wasRun()).toBe(true);
    f.git(f.owner, 'config', 'core.fsmonitor', program());
    f.git(f.owner, 'config', 'core.hooksPath', '.git/hooks');
    for (const hook of ['reference-transaction', 'post-checkout', 'post-index-change']) {
      f.write(f.owner, { [`.git/hooks/${hook}`]: readFileSync(program()) });
      chmodSync(join(f.owner, '.git/hooks', hook), 0o755);
    }
    expect(await apply({ checkout: true })).toMatchObject({ kind: 'applied', checkedOut: true });
    expect(wasRun()).toBe(false);
    expect(readFileSync(join(f.owner, 'a.txt'), 'utf8')).toBe('2\n');
  });

  it('when its working tree is sent along', async () => {
    const repository = borrowing();
    for (const key of ['core.alternateRefsCommand', 'core.fsmonitor', 'filter.evil.clean']) {
      f.git(repository, 'config', key, program(key.startsWith('filter') ? 'exec cat' : ''));
    }
    f.write(repository, { '.gitattributes': '* filter=evil\n', 'c.txt': 'c\n' });
    f.git(repository, 'status');
    expect(wasRun()).toBe(true);
    const about = { repository, peerHas: [base], nodeId: NODE_ID, task: TASK, store: f.store, limits: LIMITS };
    const ship = () => shipWorkingTree({ ...f.gitWork, guard: f.guard, ...about });
    // Without the program something else would be sent than what the owner commits.
    expect((await failure(ship())).message).toContain('goes through the filter');
    expect(wasRun()).toBe(false);
    f.commit(repository);
    expect(wasRun()).toBe(true);
    f.write(repository, { '.gitattributes': '', 'c.txt': 'changed\n' });
    expect(await ship()).toHaveProperty('bundle');
    expect(wasRun()).toBe(false);
  });
});

describe('a repository that is not its owner’s to name', () => {
  const ship = (repository: string, guard = f.guard) =>
    shipWorkingTree({
      ...{ ...f.gitWork, guard, repository, peerHas: [], nodeId: NODE_ID, task: TASK, store: f.store },
      limits: LIMITS,
    });

  it('is refused where it is another user’s, unless the configuration names it', async () => {
    const user = process.geteuid?.() ?? 0;
    const guard = { ...f.guard, user: user + 1 };
    const refused = { code: 'BAD_REQUEST', message: expect.stringContaining(`uid ${user}`) };
    expect(await failure(apply({ guard }))).toMatchObject(refused);
    expect(await failure(ship(f.owner, guard))).toMatchObject(refused);
    const named = { ...guard, named: () => [f.owner] };
    expect(await ship(f.owner, named)).toHaveProperty('commit', base);
    expect(await apply({ guard: named })).toMatchObject({ kind: 'applied' });
  });

  it('is refused in a folder of the node’s, however one comes to it, and nothing is told of it', async () => {
    const guard = { ...f.guard, closed: [join(f.root, 'closed')] };
    const inside = join(f.root, 'closed', 'run-1');
    f.git(f.root, 'clone', '--quiet', f.owner, inside);
    const link = join(f.root, 'link');
    symlinkSync(inside, link);
    const pointer = join(f.root, 'pointer');
    mkdirSync(pointer);
    writeFileSync(join(pointer, '.git'), `gitdir: ${inside}/.git\n`);
    const objects = join(f.root, 'objects');
    f.git(f.root, 'clone', '--quiet', f.owner, objects);
    rmSync(join(objects, '.git/objects'), { recursive: true });
    symlinkSync(join(inside, '.git/objects'), join(objects, '.git/objects'));
    for (const repository of [inside, link, pointer, objects, join(f.root, 'closed', 'absent', 'x')]) {
      const refused = {
        code: 'BAD_REQUEST',
        message: `\`${repository}\` lies in a folder of this node, where the files of tasks are`,
      };
      expect(await failure(apply({ repository, guard }))).toMatchObject(refused);
      expect(await failure(ship(repository, guard))).toMatchObject(refused);
    }
    expect(f.git(inside, 'branch', '--list', BRANCH)).toBe('');
  });

  it('gets nothing written through a link', async () => {
    const elsewhere = join(f.root, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(f.owner, '.git/refs/heads/writ'));
    expect(await failure(apply())).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('is a link'),
    });
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

it('a half pack that a node left when it was killed keeps nothing from being applied again', async () => {
  const [before, again] = [join(f.root, 'before'), join(f.root, 'again')];
  for (const repository of [before, again]) f.git(f.root, 'clone', '--quiet', f.owner, repository);
  const packs = (repository: string): readonly string[] => readdirSync(join(repository, '.git/objects/pack'));
  expect(await apply({ repository: before })).toMatchObject({ kind: 'applied' });
  for (const name of packs(before)) writeFileSync(join(again, '.git/objects/pack', `tmp_${name}`), 'half');
  expect(await apply({ repository: again })).toMatchObject({ kind: 'applied' });
  expect(packs(again)).toEqual(expect.arrayContaining([...packs(before)]));
});

describe('switching the working tree', () => {
  const switched = () => apply({ checkout: true });
  const refusal = async (words: string): Promise<void> => {
    const refused = await failure(switched());
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(words) });
    expect(f.git(f.owner, 'branch', '--show-current')).not.toBe(BRANCH);
  };

  it('leaves a working tree that git takes for clean, in the form that the repository asks for', async () => {
    f.git(f.owner, 'config', 'core.autocrlf', 'true');
    rmSync(join(f.owner, 'a.txt'));
    rmSync(join(f.owner, 'b.txt'));
    f.git(f.owner, 'checkout', '--quiet', '--', '.');
    f.git(f.owner, 'checkout', '--quiet', '--detach');
    expect(await switched()).toMatchObject({ checkedOut: true });
    expect(readFileSync(join(f.owner, 'a.txt'), 'utf8')).toBe('2\r\n');
    expect(f.git(f.owner, 'status', '--porcelain')).toBe('');
    expect(f.git(f.owner, 'rev-parse', 'HEAD')).toBe(changes.head);
    // Where it was before is to be found again.
    expect(f.git(f.owner, 'rev-parse', 'HEAD@{1}')).toBe(base);
    f.git(f.owner, 'fsck', '--strict');
    expect(readdirSync(join(f.owner, '.git')).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  it('works in a worktree, and not for a branch that is checked out in another one', async () => {
    const tree = join(f.root, 'tree');
    f.git(f.owner, 'worktree', 'add', '--quiet', '--detach', tree, base);
    expect(await apply({ repository: tree, checkout: true })).toMatchObject({ checkedOut: true });
    expect(f.git(tree, 'branch', '--show-current')).toBe(BRANCH);
    expect(f.git(tree, 'status', '--porcelain')).toBe('');
    await refusal('checked out in another working tree');
    expect(await apply({ repository: tree, checkout: true })).toMatchObject({ kind: 'present', checkedOut: true });
  });

  it('is refused in the middle of a merge, beside another git, and without a working tree', async () => {
    f.write(f.owner, { '.git/MERGE_HEAD': `${base}\n` });
    await refusal('in the middle of something (MERGE_HEAD)');
    rmSync(join(f.owner, '.git/MERGE_HEAD'));
    f.write(f.owner, { '.git/sequencer/todo': `pick ${base}\n` });
    await refusal('in the middle of something (sequencer)');
    rmSync(join(f.owner, '.git/sequencer'), { recursive: true });
    f.write(f.owner, { '.git/HEAD.lock': '' });
    await refusal('another git at work');
    expect(existsSync(join(f.owner, '.git/HEAD.lock'))).toBe(true);
    rmSync(join(f.owner, '.git/HEAD.lock'));
    f.write(f.owner, { '.git/index.lock': '' });
    await refusal('another git at work');
    rmSync(join(f.owner, '.git/index.lock'));
    f.git(f.owner, 'config', 'core.worktree', f.work);
    await refusal('has no working tree');
  });

  it('says how to finish, or to undo, what was cut off in the middle', async () => {
    await apply({});

    f.write(f.owner, { 'mine.txt': 'of the owner\n' });
    const [head, tree] = ['.git/HEAD.lock', '.git/index.lock'].map((name) => join(f.owner, name));
    // As a kill leaves it: some files are written, some gone, index and HEAD as they were.
    const added = f.git(f.owner, 'diff', '--name-only', '--diff-filter=A', base, BRANCH).split('\n').filter(Boolean);
    expect(added).not.toEqual([]);
    f.write(f.owner, {
      ...Object.fromEntries(added.map((name) => [name, 'half'])),
      '.git/HEAD.lock': '',
      '.git/index.lock': '',
    });
    rmSync(join(f.owner, 'b.txt'), { force: true });
    const { nextSteps } = (await failure(apply({ checkout: true }))) as { nextSteps: readonly string[] };
    for (const lock of [head ?? '', tree ?? '']) {
      expect(nextSteps[0]).toContain(lock);
      rmSync(lock);
    }
    const [, finish = ''] = /: git (switch --force \S+) finishes it/.exec(nextSteps[1] ?? '') ?? [];
    f.git(f.owner, ...finish.split(' '));
    expect(f.git(f.owner, 'status', '--porcelain')).toBe('?? mine.txt');
    expect(f.git(f.owner, 'rev-parse', 'HEAD')).toBe(changes.head);
    expect(nextSteps[1]).toContain('git switch - leads back');
    f.git(f.owner, 'switch', '--quiet', '-');
    expect(f.git(f.owner, 'rev-parse', 'HEAD')).toBe(base);
    expect(f.git(f.owner, 'status', '--porcelain')).toBe('?? mine.txt');
    expect(await apply({ checkout: true })).toMatchObject({ kind: 'present', checkedOut: true });
  });

  /** Does something of another program's as soon as git has switched index and files. */
  const switchedAnd = (act: (env: Readonly<Record<string, string>>) => void) =>
    apply({
      checkout: true,
      git: async (order) => {
        const done = await f.gitWork.git(order);
        if (order.step === 'checkout') act(order.env);
        return done;
      },
    });

  it('leaves HEAD as it was where the new one cannot be read, and says what is switched', async () => {
    const head = readFileSync(join(f.owner, '.git/HEAD'), 'utf8');
    const refused = await failure(switchedAnd(({ GIT_DIR = '' }) => writeFileSync(join(GIT_DIR, 'HEAD'), '')));
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('HEAD could not be moved') });
    expect(readFileSync(join(f.owner, '.git/HEAD'), 'utf8')).toBe(head);
    expect(f.git(f.owner, 'diff', '--cached', '--name-only', BRANCH)).toBe('');
    f.git(f.owner, 'symbolic-ref', 'HEAD', `refs/heads/${BRANCH}`);
    expect(f.git(f.owner, 'status', '--porcelain')).toBe('');
  });

  it('leaves a lock of HEAD alone that another git makes as soon as there is none', async () => {
    const lock = join(f.owner, '.git/HEAD.lock');
    const making = 'read begin; set -C; until true > "$0"; do :; done';
    const other = spawn('sh', ['-c', making, lock], { stdio: ['pipe', 'ignore', 'ignore'] });
    const gone = once(other, 'close');
    try {
      expect(await switchedAnd(() => void other.stdin.write('begin\n'))).toMatchObject({ checkedOut: true });
      expect(await gone).toEqual([0, null]);
      expect(existsSync(lock)).toBe(true);
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('shows no more of a sparse checkout than before', async () => {
    f.write(f.owner, { 'folder/deep.txt': 'd\n' });
    f.git(f.owner, 'sparse-checkout', 'set', '--no-cone', '/b.txt');
    expect(await switched()).toMatchObject({ checkedOut: true });
    expect(existsSync(join(f.owner, 'a.txt'))).toBe(false);
    expect(f.git(f.owner, 'status', '--porcelain', '--untracked-files=no')).toBe('');
  });
});
