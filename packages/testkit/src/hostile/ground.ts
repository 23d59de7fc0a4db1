import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256Hex } from '@writ/core';

/** A repository that is being made hostile, and what must not be touched beside it. */
export interface HostileGround {
  /** Of the repository, whose `.git` is a folder; on branch `main`, one commit. */
  readonly dir: string;
  /** A folder outside, with a repository `other` in it; nothing may change there. */
  readonly outside: string;
  /** Absolute path of a program that leaves a mark when it is run, whoever runs it and however it is called. */
  program(name: string): string;
  /** Runs git there, with nothing of what was planted in force. */
  git(...args: readonly string[]): string;
  /** The same with a standard input. */
  gitWith(input: string | Buffer, ...args: readonly string[]): string;
  write(files: Readonly<Record<string, string | Buffer>>): void;
  /** Sets keys of the repository's own configuration. */
  set(settings: Readonly<Record<string, string>>): void;
  /** Commits what is there. */
  commit(): void;
}

/** Where marks and what lies outside are. */
export interface Witness {
  readonly outside: string;
  /** Names of planted programs that were run. */
  marks(): readonly string[];
  /** Names of all programs that were planted. */
  planted(): readonly string[];
  /** Runs a script in a repository with everything in force that was planted there. */
  tempt(dir: string, script: string): void;
  ground(dir: string): HostileGround;
}

/** Whatever a repository says, git does nothing on its behalf while it is being prepared. */
const UNARMED = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'commit.gpgSign=false', 'core.protectNTFS=false'],
  ...['core.protectHFS=false', 'filter.evil.clean=', 'filter.evil.smudge=', 'filter.evil.process='],
  ...['filter.evil.required=false', 'user.name=a', 'user.email=a@example.org', 'core.autocrlf=false', 'gc.auto=0'],
].flatMap((setting) => ['-c', setting]);
const ENV = {
  ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
  GIT_AUTHOR_DATE: '1700000000 +0000',
  GIT_COMMITTER_DATE: '1700000000 +0000',
};

const WHO = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'a'],
    [`GIT_${role}_EMAIL`, 'a@example.org'],
  ]),
);

/** Prepares marks and what lies outside, below `root`. */
export function createWitness(root: string, path: string): Witness {
  const [outside, marks, programs] = [join(root, 'outside'), join(root, 'marks'), join(root, 'programs')];
  for (const folder of [outside, marks, programs]) mkdirSync(folder, { recursive: true });
  const run = (cwd: string, input: string | Buffer, args: readonly string[]): string =>
    execFileSync('git', [...UNARMED, ...args], {
      ...{ cwd, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] },
      env: { ...ENV, PATH: path, HOME: outside },
    }).trim();
  const planted: string[] = [];
  const program = (name: string): string => {
    const file = join(programs, name);
    writeFileSync(file, `#!/bin/sh\necho "$0 $*" >> '${join(marks, name)}'\ntimeout 0.2 cat 2>/dev/null\n`);
    chmodSync(file, 0o755);
    planted.push(name);
    return file;
  };
  writeFileSync(join(outside, 'secret'), 'a secret of the owner\n');
  const other = join(outside, 'other');
  if (!existsSync(other)) {
    mkdirSync(other);
    run(other, '', ['init', '--quiet', '--initial-branch=main', '.']);
    run(other, '', ['commit', '--quiet', '--allow-empty', '-m', 'other']);
  }
  return {
    outside,
    marks: () => readdirSync(marks),
    planted: () => planted,
    tempt: (dir, script) => {
      const env = { ...ENV, ...WHO, PATH: path, HOME: outside, TERM: 'dumb' };
      // Most of these calls fail: what counts is what was run.
      spawnSync('sh', ['-c', script], { cwd: dir, env, stdio: 'ignore' });
    },
    ground: (dir) => {
      const git = (...args: readonly string[]): string => run(dir, '', args);
      const write: HostileGround['write'] = (files) => {
        for (const [name, content] of Object.entries(files)) {
          mkdirSync(dirname(join(dir, name)), { recursive: true });
          writeFileSync(join(dir, name), content);
        }
      };
      return {
        ...{ dir, outside, program, git, write },
        gitWith: (input, ...args) => run(dir, input, args),
        set(settings) {
          for (const [key, value] of Object.entries(settings)) git('config', '--local', key, value);
        },
        commit() {
          git('add', '--all', '--force');
          git('commit', '--quiet', '--allow-empty', '-m', 'hostile');
        },
      };
    },
  };
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** A digest of everything below some paths: types, modes, contents, where links lead. */
export function fingerprint(...paths: readonly string[]): string {
  const lines: string[] = [];
  const look = (path: string): void => {
    const stat = statOf(path);
    if (stat === undefined) return void lines.push(`${path} absent`);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) lines.push(`${path} link ${readlinkSync(path)}`);
    else if (stat.isDirectory()) {
      lines.push(`${path} folder ${mode}`);
      for (const name of readdirSync(path).sort()) look(join(path, name));
    } else lines.push(`${path} file ${mode} ${stat.isFile() ? sha256Hex(readFileSync(path)) : 'special'}`);
  };
  for (const path of paths) look(path);
  return sha256Hex(lines.join('\n'));
}

/** What an owner has set in a repository, and what is checked out there: nothing of it is for others to change. */
export function ownersState(dir: string): string {
  const git = join(dir, '.git');
  const own = ['config', 'config.worktree', 'info', 'hooks', 'HEAD', 'index', 'commondir', 'modules', 'worktrees'];
  const tree = existsSync(dir) ? readdirSync(dir).filter((name) => name !== '.git') : [];
  return fingerprint(...own.map((name) => join(git, name)), ...tree.map((name) => join(dir, name)));
}
