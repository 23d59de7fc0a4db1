import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { type Clock, gitWords, KEPT_GIT_WORDS, underUmask, visible } from '@writ/core';
import type { GitAnswer, GitCall, GitPort } from './types.ts';

export interface GitProcessOptions {
  /** Absolute path of git, or a name to look up in `path`. */
  readonly git: string;
  readonly clock: Clock;
}

/** Runs git as a child of this process; for the command line and for tests. */
export function createGitProcess(options: GitProcessOptions): GitPort {
  return async (call) => {
    let input: FileHandle | undefined;
    try {
      if (call.inputFile !== undefined) input = await open(call.inputFile, 'r');
      return await runGit(options, call, input?.fd);
    } catch (error) {
      return failed(`git could not be started: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      await input?.close();
    }
  };
}

function runGit({ git, clock }: GitProcessOptions, call: GitCall, inputFd: number | undefined): Promise<GitAnswer> {
  return new Promise((resolve) => {
    const start = (): ChildProcess =>
      spawn(git, call.args, {
        cwd: call.cwd,
        env: call.env,
        stdio: [inputFd ?? (call.input === undefined ? 'ignore' : 'pipe'), 'pipe', 'pipe'],
        // A group of its own, so that the helpers that git starts end with it.
        detached: true,
      });
    const child = call.umask === undefined ? start() : underUmask(call.umask, start);
    const stdout: Uint8Array[] = [];
    let stderr = '';
    let bytes = 0;
    let ended: string | undefined;
    const end = (why: string): void => {
      ended ??= why;
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It is gone already.
      }
    };
    const cancelTimer = clock.setTimer(call.timeoutMs, () => end('it took too long'));
    const unwanted = (): void => end('it is not wanted any more');
    if (call.signal?.aborted) unwanted();
    call.signal?.addEventListener('abort', unwanted, { once: true });
    child.stdout?.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > call.maxOutputBytes) end('it wrote too much');
      else stdout.push(chunk);
    });
    child.stderr?.on('data', (chunk: Uint8Array) => {
      if (stderr.length < KEPT_GIT_WORDS) stderr += Buffer.from(chunk).toString('utf8');
    });
    // A git that ends before it has read everything says so with its exit code.
    child.stdin?.on('error', () => {});
    child.stdin?.end(call.input);
    child.on('error', (error) => {
      cancelTimer();
      resolve(failed(`git could not be started: ${visible(error.message)}`));
    });
    child.on('close', (code, signal) => {
      cancelTimer();
      call.signal?.removeEventListener('abort', unwanted);
      const exitCode = ended === undefined ? code : null;
      const reason = ended ?? gitWords(stderr, code ?? signal);
      resolve({ exitCode, stdout: Buffer.concat(stdout), reason });
    });
  });
}

function failed(reason: string): GitAnswer {
  return { exitCode: null, stdout: new Uint8Array(), reason };
}
