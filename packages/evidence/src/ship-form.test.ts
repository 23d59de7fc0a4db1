import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUNDLE_REF } from './collect.ts';
import { wordsOf } from './owners-words.ts';
import type { ReadOwnersWords } from './read-words.ts';
import { type Shipment, shipWorkingTree } from './ship.ts';
import { createFixture, type Fixture, LIMITS, NODE_ID, TASK } from './testing/fixture.ts';

const FILES = { 'top.txt': 'one\ntwo\n', 'a/n.txt': 'a\n', 'b/n.txt': 'b\n', 'c/run': '#!/bin/sh\n' };

describe('shipping a working tree whose files lie on the disk in a form of their own', () => {
  let f: Fixture;
  beforeEach(() => {
    f = createFixture();
    f.write(f.owner, FILES);
    chmodSync(join(f.owner, 'c/run'), 0o755);
    f.commit(f.owner);
  });
  afterEach(() => f.remove());

  const ship = (repository = f.owner, words?: ReadOwnersWords): Promise<Shipment> =>
    shipWorkingTree({
      ...f.gitWork,
      guard: f.guard,
      repository,
      peerHas: [],
      nodeId: NODE_ID,
      task: TASK,
      store: f.store,
      limits: LIMITS,
      ...(words && { words }),
    });
  /** What is in the shipment and not committed: one line a file. */
  const changesOf = async (repository = f.owner, words?: ReadOwnersWords): Promise<string> => {
    const { commit, head, bundle } = await ship(repository, words);
    if (commit === head) return '';
    f.git(repository, 'fetch', '--quiet', await f.store.pathOf(bundle?.sha256 ?? ''), BUNDLE_REF);
    return f.git(repository, 'diff', '--raw', '--abbrev=4', '--no-renames', head ?? '', commit).replace(/^:/gm, '');
  };

  it.each([
    ['', ['set', 'a']],
    [' that its index is written by', ['set', '--sparse-index', 'a']],
  ])('sends what a sparse checkout%s keeps off the disk', async (_, how) => {
    f.git(f.owner, 'sparse-checkout', ...how);
    expect(existsSync(join(f.owner, 'b'))).toBe(false);
    expect(await changesOf()).toBe('');
    f.write(f.owner, { 'a/n.txt': 'changed\n', 'b/n.txt': 'put there all the same\n' });
    expect(await changesOf()).toMatch(/^.*\ta\/n\.txt\n.*\tb\/n\.txt$/);
  });

  it('sends nothing of a file that its owner’s git was told to leave alone', async () => {
    f.git(f.owner, 'update-index', '--skip-worktree', 'top.txt');
    f.git(f.owner, 'update-index', '--assume-unchanged', 'a/n.txt');
    f.write(f.owner, { 'top.txt': 'a password\n', 'a/n.txt': 'another\n', 'b/n.txt': 'changed\n' });
    expect(f.git(f.owner, 'status', '--porcelain')).toBe('M b/n.txt');
    expect(await changesOf()).toMatch(/^.*\tb\/n\.txt$/);
    // A sparse checkout that leaves everything where it is: now git looks, but for what it is told is unchanged.
    f.git(f.owner, 'update-index', '--skip-worktree', 'a/n.txt');
    f.git(f.owner, 'config', 'core.sparseCheckout', 'true');
    f.git(f.owner, 'config', 'sparse.expectFilesOutsideOfPatterns', 'true');
    expect(await changesOf()).toMatch(/^.*\tb\/n\.txt$/);
    f.git(f.owner, 'config', 'sparse.expectFilesOutsideOfPatterns', 'false');
    expect(await changesOf()).toMatch(/^.*\tb\/n\.txt\n.*\ttop\.txt$/);
  });

  it('sends no empty file in the place of one that is to be added later and taken for unchanged till then', async () => {
    f.write(f.owner, { 'later.txt': 'later\n', 'empty.txt': '' });
    f.git(f.owner, 'add', '--intent-to-add', 'later.txt');
    f.git(f.owner, 'add', 'empty.txt');
    f.git(f.owner, 'update-index', '--assume-unchanged', 'later.txt', 'empty.txt');
    expect(await changesOf()).toMatch(/^.* A\tempty\.txt$/);
    f.git(f.owner, 'update-index', '--no-assume-unchanged', 'later.txt');
    expect(await changesOf()).toMatch(/^.* A\tempty\.txt\n.* A\tlater\.txt$/);
  });

  it('refuses where it cannot be seen whether something was put where a sparse checkout has nothing', async () => {
    f.git(f.owner, 'sparse-checkout', 'set', 'a');
    symlinkSync('b', join(f.owner, 'b'));
    await expect(ship()).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringMatching(/whether `b\/n\.txt` is there cannot be seen: .*ELOOP/),
    });
  });

  it('sends what became of the place of a submodule', async () => {
    const linked = (name: string) => `160000,${f.git(f.owner, 'rev-parse', 'HEAD')},${name}`;
    f.git(f.owner, 'update-index', '--add', '--cacheinfo', linked('sub'), '--cacheinfo', linked('kept/off'));
    f.git(f.owner, 'commit', '--quiet', '-m', 'submodules');
    f.git(f.owner, 'update-index', '--skip-worktree', 'kept/off');
    mkdirSync(join(f.owner, 'sub'));
    expect(await changesOf()).toBe('');
    rmdirSync(join(f.owner, 'sub'));
    expect(await changesOf()).toMatch(/^160000 000000 .* D\tsub$/);
    f.write(f.owner, { sub: 'a file\n' });
    expect(await changesOf()).toMatch(/^160000 100644 .* T\tsub$/);
    f.git(f.owner, 'update-index', '--add', '--cacheinfo', linked('staged'), '--cacheinfo', linked('nowhere'));
    mkdirSync(join(f.owner, 'staged'));
    expect(await changesOf()).toMatch(/ A\tstaged\n.* T\tsub$/);
    f.git(f.owner, 'config', 'core.sparseCheckout', 'true');
    expect(await changesOf()).toMatch(/ A\tstaged\n.* T\tsub$/);
    mkdirSync(join(f.owner, 'kept/off'), { recursive: true });
    expect(await changesOf()).toMatch(/ A\tstaged\n.* T\tsub$/);
  });

  it('sends lines as the repository has them, where the owner’s end in another way', async () => {
    f.git(f.root, '-c', 'core.autocrlf=true', 'clone', '--quiet', '--config', 'core.autocrlf=true', f.owner, 'crlf');
    const crlf = join(f.root, 'crlf');
    expect(readFileSync(join(crlf, 'top.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
    expect(await changesOf(crlf)).toBe('');
    writeFileSync(join(crlf, 'top.txt'), 'one\r\n2\r\n');
    const { commit, head, bundle } = await ship(crlf);
    f.git(crlf, 'fetch', '--quiet', await f.store.pathOf(bundle?.sha256 ?? ''), BUNDLE_REF);
    expect(f.git(crlf, 'diff', '--numstat', head ?? '', commit)).toBe('1\t1\ttop.txt');
  });

  it('sends no modes of a disk that has none', async () => {
    f.git(f.owner, 'config', 'core.fileMode', 'false');
    for (const name of ['top.txt', 'a/n.txt']) chmodSync(join(f.owner, name), 0o755);
    expect(await changesOf()).toBe('');
    f.write(f.owner, { 'top.txt': 'changed\n' });
    expect(await changesOf()).toMatch(/^100644 100644 .*\ttop\.txt$/);
  });

  it.each(['--no-split-index', '--split-index'])(
    'sees a change that is as young as the index and as long as what was there (%s)',
    async (how) => {
      const [index, file] = [join(f.owner, '.git/index'), join(f.owner, 'top.txt')];
      // A whole second: an index may keep no more of it.
      const mtime = new Date(Math.floor(statSync(file).mtimeMs / 1000) * 1000 - 5000);
      utimesSync(file, mtime, mtime);
      f.git(f.owner, 'update-index', '--refresh', how);
      utimesSync(index, mtime, mtime);
      writeFileSync(file, 'ONE\ntwo\n');
      utimesSync(file, mtime, mtime);
      expect(await changesOf()).toMatch(/\ttop\.txt$/);
    },
  );

  it('sends what goes through a program as it is committed, and refuses it where it has changed since', async () => {
    f.write(f.owner, { '.gitattributes': '*.bin filter=lfs\n', 'x.bin': 'pointer\n' });
    f.commit(f.owner);
    f.git(f.owner, 'config', 'filter.lfs.clean', 'echo pointer; cat >/dev/null');
    f.write(f.owner, { 'x.bin': 'what the program has made of it\n' });
    utimesSync(join(f.owner, 'x.bin'), 1_700_000_000, 1_700_000_000);
    f.git(f.owner, 'add', 'x.bin');
    expect(f.git(f.owner, 'status', '--porcelain')).toBe('');
    expect(await changesOf()).toBe('');
    f.write(f.owner, { 'x.bin': 'another one\n' });
    await expect(ship()).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('`x.bin` has changed, and goes through the filter `lfs`'),
      nextSteps: [expect.stringContaining('git status'), expect.stringContaining('commit it first')],
    });
  });

  it('sends lines as the repository has them, where the owner has set everywhere that they end in another way', async () => {
    f.git(f.root, '-c', 'core.autocrlf=true', 'clone', '--quiet', f.owner, 'crlf');
    const crlf = join(f.root, 'crlf');
    f.git(f.root, 'config', '--global', 'core.autocrlf', 'true');
    expect(await changesOf(crlf, f.words)).toBe('');
    f.write(crlf, { 'top.txt': 'one\r\n2\r\n', 'new.txt': 'one\r\n' });
    const { commit, head, bundle } = await ship(crlf, f.words);
    f.git(crlf, 'fetch', '--quiet', await f.store.pathOf(bundle?.sha256 ?? ''), BUNDLE_REF);
    expect(f.git(crlf, 'diff', '--numstat', head ?? '', commit)).toBe('1\t0\tnew.txt\n1\t1\ttop.txt');
    // What the repository says is over it.
    f.git(crlf, 'config', 'core.autocrlf', 'false');
    expect(await changesOf(crlf, f.words)).toMatch(/\tb\/n\.txt\n/);
  });

  it('reads attributes that hold everywhere, below those of the tree and of the repository', async () => {
    f.write(f.root, { attributes: '*.txt text eol=crlf\n', other: '' });
    f.write(f.owner, { 'top.txt': 'one\r\ntwo\r\n' });
    expect(await changesOf(f.owner, f.words)).toMatch(/\ttop\.txt$/);
    f.git(f.root, 'config', '--global', 'core.attributesFile', '~/attributes');
    expect(await changesOf()).toMatch(/\ttop\.txt$/);
    expect(await changesOf(f.owner, f.words)).toBe('');
    f.git(f.owner, 'config', 'core.attributesFile', join(f.root, 'other'));
    expect(await changesOf(f.owner, f.words)).toMatch(/\ttop\.txt$/);
    f.git(f.owner, 'config', 'core.attributesFile', '~/attributes');
    expect(await changesOf(f.owner, f.words)).toBe('');
    // Whose home that is nobody knows here.
    await expect(ship()).rejects.toThrow('core.attributesFile of the repository is no whole path');
    f.write(f.owner, { '.git/info/attributes': '*.txt -text\n' });
    expect(await changesOf(f.owner, f.words)).toMatch(/\ttop\.txt$/);
  });

  it('reads attributes of this machine below those that the owner has everywhere', async () => {
    f.write(f.root, { 'system-attributes': '*.txt text eol=crlf', '.config/git/attributes': '' });
    f.write(f.owner, { 'top.txt': 'one\r\ntwo\r\n' });
    expect(await changesOf(f.owner, f.words)).toBe('');
    f.write(f.root, { '.config/git/attributes': '*.txt -text\n' });
    expect(await changesOf(f.owner, f.words)).toMatch(/\ttop\.txt$/);
  });

  it('sends what no program of its owner’s is there for as it is, and says where that is not known', async () => {
    f.write(f.owner, { '.gitattributes': '*.bin filter=L.fs\n', 'x.bin': 'as it is\n' });
    const everywhere = (...how: string[]): string => f.git(f.root, 'config', '--global', ...how);
    everywhere('filter.other.clean', 'x');
    everywhere('filter.L.fs.clean', '');
    expect(await changesOf(f.owner, f.words)).toMatch(/ A\tx\.bin$/);
    const driven = '`x.bin` has changed, and goes through the filter `L.fs`, which is not run here';
    for (const [name, value] of [
      ['clean', 'cat'],
      ['process', 'cat'],
      ['required', 'true'],
    ] as const) {
      everywhere(`filter.L.fs.${name}`, value);
      await expect(ship(f.owner, f.words)).rejects.toThrow(driven);
      everywhere('--unset', `filter.L.fs.${name}`);
    }
    await expect(ship()).rejects.toThrow('through the filter `L.fs` where that is configured, which cannot be known');
    f.git(f.owner, 'config', 'include.path', 'more');
    expect(await changesOf(f.owner, f.words)).toMatch(/ A\tx\.bin$/);
    f.git(f.owner, 'config', '--file', '.git/more', 'filter.L.fs.clean', 'cat');
    await expect(ship(f.owner, f.words)).rejects.toThrow(driven);
  });

  it('keeps words of what an owner has set, and none that says what is run', () => {
    const set = ['core.autocrlf=input', 'core.fsmonitor=evil', 'filter.x.clean=evil', 'alias.x=!evil'];
    const listing = set.map((setting) => `${setting.replace('=', '\n')}\0`).join('');
    expect([...wordsOf(Buffer.from(listing))]).toEqual([
      ['core.autocrlf', 'input'],
      ['filter.x.clean', 'true'],
    ]);
  });

  it('works in a working tree of a bare repository', async () => {
    f.git(f.root, 'clone', '--quiet', '--bare', f.owner, 'bare.git');
    const linked = join(f.root, 'linked');
    f.git(join(f.root, 'bare.git'), 'worktree', 'add', '--quiet', linked);
    f.write(linked, { 'top.txt': 'changed\n' });
    expect(await changesOf(linked)).toMatch(/\ttop\.txt$/);
  });
});
