import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitWordsHere } from './git-words-here.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-words-'));
  mkdirSync(join(root, '.git/objects'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const words = (all: Readonly<Record<string, string>>): readonly string[] | undefined =>
  gitWordsHere({ all, taskAccess: undefined }, join(root, 'folder'));

describe('what the shell says to git', () => {
  it('is handed on as it is, an empty word too, and nothing else of the environment', () => {
    const known = { HOME: '/h', XDG_CONFIG_HOME: '', GIT_CONFIG_GLOBAL: '/a=b', GIT_ATTR_NOSYSTEM: '1' };
    const other = { PATH: '/bin', GIT_PAGER: 'x', GIT_SSH_COMMAND: 'x', GIT_EXTERNAL_DIFF: 'x', TOKEN: 'x' };
    expect(words({ ...known, ...other })).toEqual([
      ...['HOME=/h', 'XDG_CONFIG_HOME=', 'GIT_CONFIG_GLOBAL=/a=b'],
      'GIT_ATTR_NOSYSTEM=1',
    ]);
  });

  it('has of the settings in it those that are of use: no token of another one', () => {
    const settings = {
      ...{ GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_0: 'http.extraHeader', GIT_CONFIG_VALUE_0: 'Authorization: x' },
      ...{ GIT_CONFIG_KEY_1: 'core.excludesFile', GIT_CONFIG_VALUE_1: '/p', GIT_CONFIG_KEY_2: 'core.eol' },
    };
    expect(words(settings)).toEqual([
      ...['GIT_CONFIG_COUNT=1', 'GIT_CONFIG_KEY_0=core.excludesFile', 'GIT_CONFIG_VALUE_0=/p'],
    ]);
  });

  it('is no say of a task', () => {
    const taskAccess = { socket: '/s', token: 't' };
    expect(gitWordsHere({ all: { HOME: '/h' }, taskAccess }, root)).toBeUndefined();
  });

  it.each<readonly [Readonly<Record<string, string>>, string]>([
    [{ GIT_CONFIG_GLOBAL: 'a' }, 'is no whole path'],
    [{ HOME: '/\ufffd' }, 'is no UTF-8'],
    [{ GIT_CONFIG_PARAMETERS: 'x'.repeat(8192) }, 'is longer than'],
    [{ GIT_CONFIG_COUNT: '257' }, 'is no number up to 256'],
    [{ GIT_CONFIG_COUNT: 'x' }, 'is no number up to 256'],
    [{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.eol' }, 'GIT_CONFIG_COUNT counts it'],
    [{ GIT_DIR: '/elsewhere' }, 'leads git elsewhere'],
    [{ GIT_INDEX_FILE: '/tmp/index' }, 'leads git elsewhere'],
    [{ GIT_WORK_TREE: '/' }, 'leads git elsewhere'],
    [{ GIT_ATTR_SOURCE: 'HEAD' }, 'leads git elsewhere'],
  ])('is refused where it cannot be handed on: %j', (all, why) => {
    expect(() => words(all)).toThrow(why);
  });

  it('may name the very repository, as in a hook', () => {
    const all = { GIT_DIR: join(root, '.git'), GIT_OBJECT_DIRECTORY: join(root, '.git/objects'), GIT_WORK_TREE: root };
    expect(words(all)).toEqual([]);
  });

  it('may name that of a linked worktree, and no other one', () => {
    const own = join(root, '.git/worktrees/two');
    const two = join(root, 'two');
    for (const folder of [own, two]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(two, '.git'), `gitdir: ${own}\n`);
    writeFileSync(join(own, 'commondir'), '../..\n');
    writeFileSync(join(own, 'index'), '');
    const all = { GIT_DIR: own, GIT_COMMON_DIR: join(root, '.git'), GIT_INDEX_FILE: join(own, 'index') };
    const wordsThere = (env: Readonly<Record<string, string>>) =>
      gitWordsHere({ all: env, taskAccess: undefined }, join(two, 'folder'));
    expect(wordsThere({ ...all, GIT_OBJECT_DIRECTORY: join(root, '.git/objects') })).toEqual([]);
    expect(() => wordsThere({ GIT_DIR: join(root, '.git') })).toThrow('leads git elsewhere');
  });
});
