import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUNDLE_REF } from './collect.ts';
import { type OwnersWords, wordsOf } from './owners-words.ts';
import { type Shipment, shipWorkingTree } from './ship.ts';
import { createFixture, type Fixture, LIMITS, NODE_ID, TASK } from './testing/fixture.ts';

/** As an editor may write it before a text; git reads what is behind it. */
const MARK = '\ufeff';
/** Seconds since the epoch, long before every index and long after. */
const [BEFORE, LATER] = [1_600_000_000, 4_000_000_000];

/** Puts a working tree into some state; what the owner's git is told everywhere (`~/.gitconfig`) is answered as words, too. */
type Arranged = (f: Fixture) => OwnersWords | undefined;

/** What the owner has told git everywhere, and the same as words. */
function everywhere(f: Fixture, settings: Readonly<Record<string, string>>): OwnersWords {
  const lines = Object.entries(settings);
  for (const [key, value] of lines) f.git(f.root, 'config', '--global', key, value);
  const { 'core.excludesFile': excludesFile, 'core.attributesFile': attributesFile } = settings;
  return {
    settings: wordsOf(Buffer.from(lines.map(([key, value]) => `${key.toLowerCase()}\n${value}\0`).join(''))),
    ...(excludesFile === undefined ? {} : { excludesFile }),
    ...(attributesFile === undefined ? {} : { attributesFile }),
  };
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
      return undefined;
    },
  ],
  [
    'a file that was taken out of git, and is not ignored',
    (f) => {
      f.git(f.owner, 'rm', '--quiet', '--cached', 'a/n.txt');
      f.write(f.owner, { 'a/n.txt': 'changed\n' });
      return undefined;
    },
  ],
  [
    'an ignored file that is committed, where no index is left',
    (f) => {
      f.write(f.owner, { '.gitignore': 'top.txt\n' });
      f.commit(f.owner);
      f.write(f.owner, { 'top.txt': 'secret\n' });
      rmSync(join(f.owner, '.git/index'));
      return undefined;
    },
  ],
  [
    'patterns in a file of each repository that is named everywhere',
    (f) => {
      f.write(f.owner, { '.gitignore.local': 'secret.env\n.gitignore.local\n', 'secret.env': 'KEY=secret\n' });
      return everywhere(f, { 'core.excludesFile': '.gitignore.local' });
    },
  ],
  [
    'attributes in a file of each repository that is named everywhere',
    (f) => {
      f.write(f.owner, { '.attributes': '*.txt text eol=crlf\n', 'top.txt': 'one\r\ntwo\r\nthree\r\n' });
      return everywhere(f, { 'core.attributesFile': '.attributes' });
    },
  ],
  [
    'no patterns everywhere, by an empty name',
    (f) => {
      f.write(f.root, { '.config/git/ignore': 'new\n' });
      f.write(f.owner, { new: 'n\n' });
      return everywhere(f, { 'core.excludesFile': '' });
    },
  ],
  ...['patterns', ''].map((own): readonly [string, Arranged] => [
    `patterns that the repository names instead of those everywhere (\`${own}\`)`,
    (f) => {
      f.write(f.root, { everywhere: 'two\n' });
      f.write(f.owner, { patterns: 'one\n', one: '1\n', two: '2\n' });
      f.git(f.owner, 'config', 'core.excludesFile', own);
      return everywhere(f, { 'core.excludesFile': join(f.root, 'everywhere') });
    },
  ]),
  [
    'files of patterns that begin with a mark of the order of bytes',
    (f) => {
      f.write(f.root, { everywhere: `${MARK}one\n` });
      f.write(f.owner, { '.git/info/exclude': `${MARK}two\n`, one: '1\n', two: '2\n', three: '3\n' });
      return everywhere(f, { 'core.excludesFile': join(f.root, 'everywhere') });
    },
  ],
  [
    'a worktree inside that is ignored',
    (f) => {
      f.git(f.owner, 'worktree', 'add', '--quiet', 'wt');
      f.write(f.owner, { '.git/info/exclude': '/wt/\n', 'wt/new': 'n\n', new: 'n\n' });
      return undefined;
    },
  ],
  [
    'files that are tracked beside a repository of their own',
    (f) => {
      f.write(f.owner, { 'in/f': 'f\n' });
      f.commit(f.owner);
      makeRepository(f, 'in', {});
      f.write(f.owner, { 'in/f': 'changed\n', 'in/g': 'new\n' });
      return undefined;
    },
  ],
  [
    'folders with a `.git` that is none',
    (f) => {
      f.write(f.owner, { 'q/.git': 'gitdir: /nowhere\n', 'q/f': 'f\n', 'r/.git/x': 'x\n', 'r/f': 'f\n' });
      return undefined;
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
      return everywhere(f, { 'core.autocrlf': 'true' });
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
      return undefined;
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
      return everywhere(f, { 'core.trustctime': 'false', 'core.checkStat': 'minimal', 'filter.lfs.clean': 'cat' });
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

  const ship = (words: OwnersWords | undefined): Promise<Shipment> =>
    shipWorkingTree({
      ...{ ...f.gitWork, guard: f.guard, repository: f.owner, peerHas: [], nodeId: NODE_ID, task: TASK },
      ...{ store: f.store, limits: LIMITS, ...(words && { words }) },
    });

  it.each(SAME)('%s', async (_, arrange) => {
    const words = arrange(f);
    const { commit, bundle } = await ship(words);
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
    await expect(ship(undefined)).rejects.toMatchObject(refusal);
    f.write(f.owner, { '.git/info/exclude': '/in/\n' });
    expect(await ship(undefined)).toMatchObject({ bundle: expect.anything() });
    f.write(f.owner, { '.git/info/exclude': '' });
    // A commit of it that is staged is that of a submodule with files in it.
    f.git(f.owner, 'add', 'in');
    await expect(ship(undefined)).rejects.toThrow('there are files in the submodule `in`');
  });

  it('or it is refused: what nobody knows whether it is ignored', async () => {
    await expect(ship({ excludesFile: '.local', unread: 'bad config line 1' })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('cannot be read, what it ignores neither: bad config line 1'),
      nextSteps: [expect.stringContaining('git config --list'), expect.anything()],
    });
  });

  it('or it is refused: what goes through a filter that is called as if there were none', async () => {
    for (const name of ['set', 'unset', 'unspecified']) {
      f.write(f.owner, { '.gitattributes': `*.bin filter=${name}\n`, 'x.bin': 'x\n' });
      expect(await ship(everywhere(f, {}))).toMatchObject({ bundle: expect.anything() });
      f.git(f.owner, 'config', `filter.${name}.clean`, 'cat');
      await expect(ship(everywhere(f, {}))).rejects.toThrow(`goes through the filter \`${name}\``);
      f.git(f.owner, 'config', '--unset', `filter.${name}.clean`);
    }
  });

  it('or it is refused: a name in another case, where git is told that a disk has but one', async () => {
    f.git(f.owner, 'config', 'core.ignoreCase', 'true');
    renameSync(join(f.owner, 'top.txt'), join(f.owner, 'Top.txt'));
    await expect(ship(undefined)).rejects.toMatchObject({
      message: expect.stringContaining('`Top.txt` was not taken in'),
      nextSteps: [expect.stringContaining('git config core.ignoreCase false'), expect.anything()],
    });
    f.git(f.owner, 'config', 'core.ignoreCase', 'false');
    expect(await ship(undefined)).toMatchObject({ bundle: expect.anything() });
  });

  it('or it is refused: old content of a partial clone that its server alone has', async () => {
    f.git(f.owner, 'config', 'uploadpack.allowFilter', 'true');
    f.write(f.owner, { 'top.txt': 'changed\n' });
    f.commit(f.owner);
    f.git(f.root, 'clone', '--quiet', '--filter=blob:none', `file://${f.owner}`, 'partial');
    f.write(join(f.root, 'partial'), { new: 'n\n' });
    const words = { ...f.gitWork, guard: f.guard, repository: join(f.root, 'partial'), nodeId: NODE_ID, task: TASK };
    await expect(shipWorkingTree({ ...words, peerHas: [], store: f.store, limits: LIMITS })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('is a partial clone'),
      nextSteps: [expect.stringContaining('git fetch --refetch'), expect.anything()],
    });
  });
});
