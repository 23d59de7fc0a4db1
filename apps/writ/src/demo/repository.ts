import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
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

/** Git in `dir` with no configuration but its own; gives what it printed. Throws where it fails. */
export function gitFor(environment: Environment, dir: string): (...argv: string[]) => string {
  const env = { PATH: environment.all.PATH, HOME: dir, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const who = ['-c', 'user.name=Writ demo', '-c', 'user.email=demo@writ.invalid'];
  return (...argv) => execFileSync('git', [...who, ...argv], { cwd: dir, stdio: 'pipe', env, encoding: 'utf8' }).trim();
}

/** Makes a small real repository in `dir`: three commits, and a test that fails. */
export function makeRepository(dir: string, environment: Environment): void {
  mkdirSync(dir, { recursive: true });
  const git = gitFor(environment, dir);
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
  appendFileSync(
    join(dir, 'greet.test.mjs'),
    "\ntest('greets whoever gives no name', () => assert.equal(greet(''), 'hello, stranger'));\n",
  );
  git('add', '.');
  git('commit', '--quiet', '-m', 'Ask for a greeting without a name');
}
