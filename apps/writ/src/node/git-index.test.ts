import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasNoGitlinks } from './git-index.ts';

let root: string;
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { encoding: 'utf8' });
/** An embedded repository that is tracked, as `git add` makes one. */
const embed = (name: string): void => {
  execFileSync('git', ['init', '-q', join(root, name)]);
  git('-C', name, 'commit', '-q', '--allow-empty', '-m', 'x');
  git('-c', 'advice.addEmbeddedRepo=false', 'add', name);
};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-index-'));
  git('init', '-q');
  for (const name of ['a', 'dir/b', 'dir/with a name that is much longer than the others', 'é']) {
    mkdirSync(join(root, 'dir'), { recursive: true });
    writeFileSync(join(root, name), name);
  }
});
afterEach(() => rmSync(root, { recursive: true }));

describe('a repository whose index is known to hold no other repository', () => {
  it('is a new one, and one of plain files, in every version of an index', () => {
    expect(hasNoGitlinks(root)).toBe(true);
    git('add', '.');
    // A path that is to be added is an entry of version 3.
    writeFileSync(join(root, 'later'), '');
    git('add', '-N', 'later');
    for (const version of ['2', '3', '4']) {
      git('update-index', '--index-version', version);
      expect(hasNoGitlinks(root)).toBe(true);
    }
  });

  it('is one in a linked working tree', () => {
    git('add', '.');
    git('commit', '-qm', 'x');
    git('worktree', 'add', '-q', join(root, 'linked'));
    expect(hasNoGitlinks(join(root, 'linked'))).toBe(true);
  });

  it('is none with an embedded one, wherever that stands, in every version', () => {
    git('add', '.');
    embed('dir/m');
    writeFileSync(join(root, 'later'), '');
    git('add', '-N', 'later');
    for (const version of ['2', '3', '4']) {
      git('update-index', '--index-version', version);
      expect(hasNoGitlinks(root)).toBe(false);
    }
  });

  it('is none where entries may stand elsewhere', () => {
    git('add', '.');
    git('update-index', '--split-index');
    expect(hasNoGitlinks(root)).toBe(false);
  });

  it('is none where the index is damaged, cut, of another hash, or no repository is there', () => {
    git('add', '.');
    const index = join(root, '.git/index');
    const whole = readFileSync(index);
    appendFileSync(index, 'x');
    expect(hasNoGitlinks(root)).toBe(false);
    for (const length of [0, 11, 12, 40, whole.length - 1]) {
      writeFileSync(index, whole);
      truncateSync(index, length);
      expect(hasNoGitlinks(root)).toBe(false);
    }
    expect(hasNoGitlinks(join(root, 'dir'))).toBe(false);
    rmSync(join(root, '.git'), { recursive: true });
    git('init', '-q', '--object-format=sha256');
    git('add', '.');
    expect(hasNoGitlinks(root)).toBe(false);
  });
});

describe('git itself', () => {
  it('obeys the configuration of an embedded repository, which is why that counts', () => {
    git('add', '.');
    git('commit', '-qm', 'x');
    embed('sub');
    git('commit', '-qm', 'sub');
    const witness = join(root, 'witness');
    git('-C', 'sub', 'config', 'core.fsmonitor', `echo ran >> ${witness}; false`);
    git('status');
    expect(readFileSync(witness, 'utf8')).toContain('ran');
  });
});
