import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUNDLE_REF } from './collect.ts';
import type { OwnersWords } from './owners-words.ts';
import { type Shipment, shipWorkingTree } from './ship.ts';
import { createFixture, type Fixture, LIMITS, NODE_ID, TASK } from './testing/fixture.ts';

/** As an editor may write it before a text; git reads what is behind it. */
const MARK = '\ufeff';
/** Seconds since the epoch, long before every index and long after. */
const [BEFORE, LATER] = [1_600_000_000, 4_000_000_000];

/** Puts a working tree into some state, and says what the owner's git is told everywhere. */
type Arranged = (f: Fixture) => void;

/** What the owner tells git everywhere. */
function everywhere(f: Fixture, settings: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(settings)) f.git(f.root, 'config', '--global', key, value);
}

function makeRepository(f: Fixture, name: string, files: Readonly<Record<string, string>>): void {
  f.write(join(f.owner, name), files);
  f.git(join(f.owner, name), 'init', '--quiet');
  f.commit(join(f.owner, name));
}

const SAME: readonly (readonly [string, Arranged])[] = [
  [
    'a file that was taken out of git, and is ignored since',
    (f) => {
      f.write(f.owner, { '.env': 'KEY=example\n' });
      f.commit(f.owner);
      f.git(f.owner, 'rm', '--quiet', '--cached', '.env');
      f.write(f.owner, { '.gitignore': '.env\n', '.env': 'KEY=secret\n' });
    },
  ],
  [
    'a file that was taken out of git, and is not ignored',
    (f) => {
      f.git(f.owner, 'rm', '--quiet', '--cached', 'a/n.txt');
      f.write(f.owner, { 'a/n.txt': 'changed\n' });
    },
  ],
  [
    'an ignored file that is committed, where no index is left',
    (f) => {
      f.write(f.owner, { '.gitignore': 'top.txt\n' });
      f.commit(f.owner);
      f.write(f.owner, { 'top.txt': 'secret\n' });
      rmSync(join(f.owner, '.git/index'));
    },
  ],
  [
    'patterns in a file of each repository that is named everywhere',
    (f) => {
      f.write(f.owner, { '.gitignore.local': 'secret.env\n.gitignore.local\n', 'secret.env': 'KEY=secret\n' });
      everywhere(f, { 'core.excludesFile': '.gitignore.local' });
    },
  ],
  [
    'attributes in a file of each repository that is named everywhere',
    (f) => {
      f.write(f.owner, { '.attributes': '*.txt text eol=crlf\n', 'top.txt': 'one\r\ntwo\r\nthree\r\n' });
      everywhere(f, { 'core.attributesFile': '.attributes' });
    },
  ],
  [
    'no patterns everywhere, by an empty name',
    (f) => {
      f.write(f.root, { '.config/git/ignore': 'new\n' });
      f.write(f.owner, { new: 'n\n' });
      everywhere(f, { 'core.excludesFile': '' });
    },
  ],
  ...['patterns', ''].map((own): readonly [string, Arranged] => [
    `patterns that the repository names instead of those everywhere (\`${own}\`)`,
    (f) => {
      f.write(f.root, { everywhere: 'two\n' });
      f.write(f.owner, { patterns: 'one\n', one: '1\n', two: '2\n' });
      f.git(f.owner, 'config', 'core.excludesFile', own);
      everywhere(f, { 'core.excludesFile': join(f.root, 'everywhere') });
    },
  ]),
  [
    'files of patterns that begin with a mark of the order of bytes',
    (f) => {
      f.write(f.root, { everywhere: `${MARK}one\n` });
      f.write(f.owner, { '.git/info/exclude': `${MARK}two\n`, one: '1\n', two: '2\n', three: '3\n' });
      everywhere(f, { 'core.excludesFile': join(f.root, 'everywhere') });
    },
  ],
  [
    'a worktree inside that is ignored',
    (f) => {
      f.git(f.owner, 'worktree', 'add', '--quiet', 'wt');
      f.write(f.owner, { '.git/info/exclude': '/wt/\n', 'wt/new': 'n\n', new: 'n\n' });
    },
  ],
  [
    'files that are tracked beside a repository of their own',
    (f) => {
      f.write(f.owner, { 'in/f': 'f\n' });
      f.commit(f.owner);
      makeRepository(f, 'in', {});
      f.write(f.owner, { 'in/f': 'changed\n', 'in/g': 'new\n' });
    },
  ],
  [
    'folders with a `.git` that is none',
    (f) => {
      f.write(f.owner, { 'q/.git': 'gitdir: /nowhere\n', 'q/f': 'f\n', 'r/.git/x': 'x\n', 'r/f': 'f\n' });
    },
  ],
  [
    'a conflict in a file whose lines end in two ways',
    (f) => {
      f.write(f.owner, { 'top.txt': 'one\r\n' });
      f.commit(f.owner);
      f.git(f.owner, 'switch', '--quiet', '--create', 'other');
      f.write(f.owner, { 'top.txt': 'two\r\n' });
      f.commit(f.owner);
      f.git(f.owner, 'switch', '--quiet', 'main');
      f.write(f.owner, { 'top.txt': 'three\r\n' });
      f.commit(f.owner);
      expect(() => f.git(f.owner, 'merge', 'other')).toThrow();
      everywhere(f, { 'core.autocrlf': 'true' });
    },
  ],
  [
    'attributes that git passes over',
    (f) => {
      const wrong = ['!*.txt text', '*.txt -!foo a$b', `*.txt ${'a'.repeat(5000)}`, '*.txt text eol=crlf'];
      f.write(f.owner, { '.gitattributes': `${wrong.join('\n')}\n`, 'a/.gitattributes': '[attr]foo text\n' });
      mkdirSync(join(f.owner, 'b'));
      f.write(f.owner, { 'top.txt': 'one\r\ntwo\r\n', 'a/n.txt': 'a\r\n', 'b/n.txt': 'new\n' });
      symlinkSync('../.gitattributes', join(f.owner, 'b/.gitattributes'));
      // Younger than every index: git looks at what is in them, by their attributes.
      for (const name of ['top.txt', 'a/n.txt', 'b/n.txt']) utimesSync(join(f.owner, name), LATER, LATER);
    },
  ],
  [
    'a file with a filter that was copied to another place on the disk',
    (f) => {
      const file = join(f.owner, 'x.bin');
      f.write(f.owner, { '.gitattributes': '*.bin filter=lfs\n', 'x.bin': 'x\n' });
      utimesSync(file, BEFORE, BEFORE);
      f.commit(f.owner);
      f.write(f.owner, { 'copy.bin': 'x\n', new: 'n\n' });
      renameSync(join(f.owner, 'copy.bin'), file);
      utimesSync(file, BEFORE, BEFORE);
      everywhere(f, { 'core.trustctime': 'false', 'core.checkStat': 'minimal', 'filter.lfs.clean': 'cat' });
    },
  ],
];

describe('what is shipped is what the owner’s own git would take', () => {
  let f: Fixture;
  beforeEach(() => {
    f = createFixture();
    f.write(f.owner, { 'top.txt': 'one\ntwo\n', 'a/n.txt': 'a\n' });
    f.commit(f.owner);
  });
  afterEach(() => f.remove());

  const ship = (repository = f.owner, words = f.words): Promise<Shipment> =>
    shipWorkingTree({
      ...{ ...f.gitWork, guard: f.guard, repository, peerHas: [], nodeId: NODE_ID, task: TASK },
      ...{ store: f.store, limits: LIMITS, words },
    });

  it.each(SAME)('%s', async (_, arrange) => {
    arrange(f);
    const { commit, bundle } = await ship();
    f.git(f.owner, 'add', '--all');
    const tree = f.git(f.owner, 'write-tree');
    f.git(f.owner, 'fetch', '--quiet', await f.store.pathOf(bundle?.sha256 ?? ''), BUNDLE_REF);
    expect(f.git(f.owner, 'diff-tree', '-r', '--raw', '--no-renames', tree, commit)).toBe('');
  });

  it.each<readonly [string, (f: Fixture) => void]>([
    ['repository', () => makeRepository(f, 'in', { f: 'f\n' })],
    ['worktree', () => f.git(f.owner, 'worktree', 'add', '--quiet', 'in')],
  ])('or it is refused: a %s inside that nothing is known of', async (_, arrange) => {
    arrange(f);
    const refusal = {
      code: 'GIT_FAILED',
      message: expect.stringContaining('`in/` is a repository of its own, or a worktree'),
      nextSteps: [expect.stringContaining('`/in/` into .git/info/exclude'), expect.anything()],
    };
    await expect(ship()).rejects.toMatchObject(refusal);
    f.write(f.owner, { '.git/info/exclude': '/in/\n' });
    expect(await ship()).toMatchObject({ bundle: expect.anything() });
    f.write(f.owner, { '.git/info/exclude': '' });
    // A commit of it that is staged is that of a submodule with files in it.
    f.git(f.owner, 'add', 'in');
    await expect(ship()).rejects.toThrow('there are files in the submodule `in`');
  });

  it('or it is refused: what nobody knows whether it is ignored', async () => {
    const words = async (): Promise<OwnersWords> => ({ excludesFile: '.local', unread: 'bad config line 1' });
    await expect(ship(f.owner, words)).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('cannot be read, what it ignores neither: bad config line 1'),
      nextSteps: [expect.stringContaining('git config --list'), expect.anything()],
    });
  });

  it('or it is refused: what goes through a filter that is called as if there were none', async () => {
    for (const name of ['set', 'unset', 'unspecified']) {
      f.write(f.owner, { '.gitattributes': `*.bin filter=${name}\n`, 'x.bin': 'x\n' });
      expect(await ship()).toMatchObject({ bundle: expect.anything() });
      f.git(f.owner, 'config', `filter.${name}.clean`, 'cat');
      await expect(ship()).rejects.toThrow(`goes through the filter \`${name}\``);
      f.git(f.owner, 'config', '--unset', `filter.${name}.clean`);
    }
  });

  it('or it is refused: a name in another case, where git is told that a disk has but one', async () => {
    f.git(f.owner, 'config', 'core.ignoreCase', 'true');
    renameSync(join(f.owner, 'top.txt'), join(f.owner, 'Top.txt'));
    await expect(ship()).rejects.toMatchObject({
      message: expect.stringContaining('`Top.txt` was not taken in'),
      nextSteps: [expect.stringContaining('git config core.ignoreCase false'), expect.anything()],
    });
    f.git(f.owner, 'config', 'core.ignoreCase', 'false');
    expect(await ship()).toMatchObject({ bundle: expect.anything() });
  });

  it('or it is refused: old content of a partial clone that its server alone has', async () => {
    f.git(f.owner, 'config', 'uploadpack.allowFilter', 'true');
    f.write(f.owner, { 'top.txt': 'changed\n' });
    f.commit(f.owner);
    f.git(f.root, 'clone', '--quiet', '--filter=blob:none', `file://${f.owner}`, 'partial');
    f.write(join(f.root, 'partial'), { new: 'n\n' });
    await expect(ship(join(f.root, 'partial'))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('is a partial clone'),
      nextSteps: [expect.stringContaining('git fetch --refetch'), expect.anything()],
    });
  });
});
