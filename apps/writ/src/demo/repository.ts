import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quote, WritError } from '@writ/core';
import type { Environment } from '../env.ts';

/** Throws BAD_REQUEST where `dir` is no repository with a commit: there would be nothing to tell a story about. */
export function assertRepository(dir: string, environment: Environment): void {
  const { PATH, HOME } = environment.all;
  const found = spawnSync('git', ['-C', dir, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
    encoding: 'utf8',
    env: { PATH, HOME, LC_ALL: 'C' },
  });
  if (found.status === 0) return;
  throw new WritError('BAD_REQUEST', `${quote(dir)} is no git repository with a commit`, {
    nextSteps: ['name one with --repo, or leave --repo out: the demo makes its own'],
  });
}

/** Makes a small real repository with two commits in `dir`. */
export function makeRepository(dir: string, environment: Environment): void {
  mkdirSync(dir, { recursive: true });
  const git = (...argv: string[]): void => {
    execFileSync('git', ['-c', 'user.name=Writ demo', '-c', 'user.email=demo@writ.invalid', ...argv], {
      cwd: dir,
      stdio: 'pipe',
      env: { PATH: environment.all.PATH, HOME: dir, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  };
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(dir, 'README.md'), '# Greeter\n\nSays hello.\n');
  writeFileSync(join(dir, 'greet.mjs'), "export const greet = (name) => 'hello, ' + name;\n");
  git('add', '.');
  git('commit', '--quiet', '-m', 'Add the greeter');
  writeFileSync(
    join(dir, 'greet.test.mjs'),
    "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { greet } from './greet.mjs';\n\ntest('greets by name', () => assert.equal(greet('Ada'), 'hello, Ada'));\n",
  );
  git('add', '.');
  git('commit', '--quiet', '-m', 'Test the greeter');
}
