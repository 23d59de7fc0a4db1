import type { Clock } from '@writ/core';
import { searchPath } from './environment.ts';
import { type GitCut, runGit } from './git-process.ts';
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
  /** Most bytes that it may answer with; 64 KiB where absent. */
  readonly maxOutputBytes?: number;
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

/** Most bytes that git may answer with where nothing else is said. */
const KEPT_BYTES = 64 * 1024;

const WORDS: Readonly<Record<GitCut, string>> = {
  late: 'it took longer than the task may take',
  'too-much': 'it wrote too much',
  unwanted: 'it is not wanted any more',
};

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

export function createGit({ spawner, configFile, path, clock, signal }: GitOptions): Git {
  return async (args, place) => {
    const { cwd, nonce, folder, timeoutMs, maxOutputBytes = KEPT_BYTES } = place;
    const order = { argv: args, cwd, env: gitEnvironment(configFile, path, place), nonce, folder };
    const signals = [signal, place.signal];
    const end = await runGit({ order, timeoutMs, maxOutputBytes, signals }, spawner, clock);
    const reason = end.cut === undefined ? end.reason : WORDS[end.cut];
    return { ok: end.exitCode === 0, stdout: end.stdout.toString('utf8'), reason };
  };
}

function gitEnvironment(configFile: string, path: string | undefined, place: GitPlace): Record<string, string> {
  return {
    PATH: searchPath(path),
    HOME: place.home,
    TMPDIR: place.tmp,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: configFile,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'file',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    [MARKER]: place.nonce,
  };
}
