import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];

/** Runs git as an owner would; gives what it wrote. */
export function ownersGit(path: string, ...args: string[]): string {
  return execFileSync('git', [...IDENTITY, ...args], { cwd: path, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** A repository on branch `main`, with these files committed. */
export function makeRepository(path: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(path, { recursive: true });
  ownersGit(path, 'init', '-q', '-b', 'main');
  commitFiles(path, files);
  return path;
}

/** Commits these files beside what is there, and gives the id. */
export function commitFiles(path: string, files: Readonly<Record<string, string>>): string {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  ownersGit(path, 'add', '-A');
  ownersGit(path, 'commit', '-q', '--allow-empty', '-m', 'work');
  return ownersGit(path, 'rev-parse', 'HEAD');
}
