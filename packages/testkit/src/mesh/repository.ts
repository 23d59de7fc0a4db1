import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Runs git in `dir` with no configuration but its own, and returns what it printed. */
export function gitIn(dir: string, ...argv: string[]): string {
  return execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@writ.invalid', ...argv], {
    cwd: dir,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { PATH: process.env.PATH, HOME: dir, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  }).trim();
}

/** Makes a repository in `dir` with one commit that holds `files`, content by path; without files it has no commit. */
export function makeRepository(
  dir: string,
  files: Readonly<Record<string, string>> = { 'README.md': 'hello\n' },
): string {
  mkdirSync(dir, { recursive: true });
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  if (Object.keys(files).length > 0) {
    gitIn(dir, 'add', '--all');
    gitIn(dir, 'commit', '--quiet', '-m', 'Begin');
  }
  return dir;
}
