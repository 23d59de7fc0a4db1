import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../env.ts';

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
