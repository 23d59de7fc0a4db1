import { type Clock, visible } from '@writ/core';
import { searchPath } from './environment.ts';
import { MARKER } from './process-tree/members.ts';
import type { Spawner } from './spawned.ts';

/** Where and for whom git runs. */
export interface GitPlace {
  readonly cwd: string;
  readonly home: string;
  readonly tmp: string;
  readonly folder: string;
  readonly nonce: string;
  readonly timeoutMs: number;
  /** Kills it. */
  readonly signal: AbortSignal;
}

/** What a git command came to. */
export interface GitResult {
  readonly ok: boolean;
  readonly stdout: string;
  /** Why it failed, one line, made visible. */
  readonly reason: string;
}

/** Runs git for the node: no hooks, no configuration but the node's, no network protocol, no question asked. */
export type Git = (args: readonly string[], place: GitPlace) => Promise<GitResult>;

/** Bytes kept of each of git's streams. */
const KEPT_BYTES = 64 * 1024;
/** Nothing to wait for, milliseconds: what git leaves of a clone that is not wanted any more is removed anyway. */
const GRACE_MS = 0;

/**
 * What git is told on every call. `safe.directory` is `*` because the node only ever reads repositories that its own
 * configuration names, whoever owns their files; git takes that setting from this file and not from a command line.
 */
export const GIT_CONFIG = `[core]
\thooksPath = /dev/null
\tfsmonitor = false
\tattributesFile = /dev/null
\texcludesFile = /dev/null
[init]
\ttemplateDir =
\tdefaultBranch = main
[protocol]
\tallow = never
[protocol "file"]
\tallow = always
[safe]
\tdirectory = *
[gc]
\tauto = 0
[maintenance]
\tauto = false
[advice]
\tdetachedHead = false
`;

export interface GitOptions {
  readonly spawner: Spawner;
  /** File that holds `GIT_CONFIG`. */
  readonly configFile: string;
  readonly path: string | undefined;
  readonly clock: Clock;
  /** Ends whatever git does. */
  readonly signal: AbortSignal;
}

export function createGit(options: GitOptions): Git {
  return async (args, place) => {
    const signals = [options.signal, place.signal];
    if (signals.some((signal) => signal.aborted)) return { ok: false, stdout: '', reason: 'it is not wanted any more' };
    const kept = { stdout: '', stderr: '' };
    const result = await options.spawner.spawn(
      {
        argv: ['git', ...args],
        cwd: place.cwd,
        env: gitEnvironment(options, place),
        nonce: place.nonce,
        folder: place.folder,
        graceMs: GRACE_MS,
      },
      async (stream, bytes) => {
        if (kept[stream].length < KEPT_BYTES) kept[stream] += bytes.toString('utf8');
      },
    );
    if (!result.ok) return { ok: false, stdout: '', reason: `git could not be started: ${result.failed.message}` };
    let late = false;
    const stop = (): void => result.process.stop();
    const cancelTimer = options.clock.setTimer(place.timeoutMs, () => {
      late = true;
      stop();
    });
    for (const signal of signals) signal.addEventListener('abort', stop);
    // Aborted while it was being started.
    if (signals.some((signal) => signal.aborted)) stop();
    const end = await result.process.done;
    for (const signal of signals) signal.removeEventListener('abort', stop);
    cancelTimer();
    const reason = late ? 'it took longer than the task may take' : lastLine(kept.stderr, end.exitCode ?? end.signal);
    return { ok: end.exitCode === 0 && !late, stdout: kept.stdout, reason };
  };
}

function gitEnvironment(options: GitOptions, place: GitPlace): Record<string, string> {
  return {
    PATH: searchPath(options.path),
    HOME: place.home,
    TMPDIR: place.tmp,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: options.configFile,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'file',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    [MARKER]: place.nonce,
  };
}

function lastLine(stderr: string, end: number | string | null): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const told = lines.find((line) => line.startsWith('fatal: ')) ?? lines.at(-1);
  return told === undefined ? `git ended with ${end}` : visible(told.replace(/^fatal: /, ''));
}
