import { copyFile, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, quote, type WritCode, WritError } from '@writ/core';
import { type GitDir, gitEnvironment, HARMLESS_SETTINGS } from './git-dir.ts';
import type { GitStep, GitWork } from './types.ts';

/** An owner's repository, where git runs with the owner's own settings but none that would run a program of theirs. */
export interface OwnerRepository {
  readonly dir: string;
  /** Exit code and standard output; other codes than these are failures. */
  ask(step: GitStep, codes: readonly number[], args: readonly string[]): Promise<{ exitCode: number; text: string }>;
  /** Full id of the commit that `name` means here, or undefined. */
  commitOf(name: string): Promise<string | undefined>;
  /** Absolute path of a file of the repository's git directory. */
  pathOf(name: string): Promise<string>;
}

/** Throws BAD_REQUEST where `dir` is no folder that can be reached. */
export async function requireFolder(dir: string): Promise<void> {
  const isFolder = await stat(dir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new WritError('BAD_REQUEST', `there is no folder ${quote(dir)}`);
}

/** Opens the repository in or above `dir`. */
export function openOwnerRepository(
  work: GitWork,
  dir: string,
  options: { readonly code: WritCode; readonly timeoutMs: number },
): OwnerRepository {
  const untilMs = work.clock.monotonicMs() + options.timeoutMs;
  const ask: OwnerRepository['ask'] = async (step, codes, args) => {
    await mkdir(work.gitDirRoot, { recursive: true, mode: 0o700 });
    const answer = await work.git({
      step,
      args: [...HARMLESS_SETTINGS, '-c', 'safe.directory=*', ...args],
      cwd: dir,
      env: gitEnvironment(work.path, work.gitDirRoot),
      timeoutMs: Math.max(1, untilMs - work.clock.monotonicMs()),
      maxOutputBytes: 64 * 1024 * 1024,
    });
    if (answer.exitCode === null || !codes.includes(answer.exitCode)) {
      throw new WritError(options.code, `git in ${quote(dir)}: step \`${step}\`: ${answer.reason || 'it failed'}`, {
        details: { step },
      });
    }
    return { exitCode: answer.exitCode, text: Buffer.from(answer.stdout).toString('utf8').replace(/\n$/, '') };
  };
  return {
    dir,
    ask,
    async commitOf(name) {
      const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`];
      const { exitCode, text } = await ask('inspect', [0, 1], args);
      return exitCode === 0 ? text : undefined;
    },
    async pathOf(name) {
      return (await ask('inspect', [0], ['rev-parse', '--path-format=absolute', '--git-path', name])).text;
    },
  };
}

/** Where the owner's history is cut off, it is cut off for a directory that borrows from it too. */
export async function borrowShallow(owner: OwnerRepository, git: GitDir): Promise<void> {
  await copyFile(await owner.pathOf('shallow'), join(git.dir, 'shallow')).catch((error) => {
    if (!hasErrno(error, 'ENOENT')) throw error;
  });
}
