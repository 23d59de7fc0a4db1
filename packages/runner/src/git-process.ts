import { type Clock, gitWords, KEPT_GIT_WORDS, visible } from '@writ/core';
import type { Spawner, SpawnOrder } from './spawned.ts';

/** One process of git. */
export interface GitRun {
  /** `argv` is git's arguments. */
  readonly order: Omit<SpawnOrder, 'graceMs'>;
  readonly timeoutMs: number;
  /** More than this on standard output ends it. */
  readonly maxOutputBytes: number;
  /** Any of them ends it. */
  readonly signals: readonly AbortSignal[];
}

/** What ended a git that did not end by itself. */
export type GitCut = 'late' | 'too-much' | 'unwanted';

/** How a process of git went. `exitCode` is null where it was cut short, died of a signal, or never started. */
export interface GitEnd {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly cut?: GitCut;
  /** As in `GitAnswer`; empty where it was cut short. */
  readonly reason: string;
}

/** Nothing to wait for, milliseconds: what git leaves of work that is not wanted any more is removed anyway. */
const GRACE_MS = 0;

/** Runs git through the spawner until its tree is gone. Throws SHUTTING_DOWN once that is closed. */
export async function runGit(run: GitRun, spawner: Spawner, clock: Clock): Promise<GitEnd> {
  const { order, signals } = run;
  if (signals.some((signal) => signal.aborted)) return { ...NOTHING, cut: 'unwanted' };
  const kept = createKept(run.maxOutputBytes, () => cutShort('too-much'));
  let cut: GitCut | undefined;
  let stop = (): void => {};
  const cutShort = (why: GitCut): void => {
    cut ??= why;
    stop();
  };
  const abort = (): void => cutShort('unwanted');
  for (const signal of signals) signal.addEventListener('abort', abort);
  const cancelTimer = clock.setTimer(run.timeoutMs, () => cutShort('late'));
  try {
    const result = await spawner.spawn({ ...order, argv: ['git', ...order.argv], graceMs: GRACE_MS }, kept.onOutput);
    if (!result.ok) return { ...NOTHING, reason: `git could not be started: ${visible(result.failed.message)}` };
    stop = () => result.process.stop();
    // Ended while it was being started.
    if (cut !== undefined) stop();
    const { exitCode, signal } = await result.process.done;
    if (cut !== undefined) return { ...NOTHING, stdout: kept.stdout(), cut };
    const reason = gitWords(kept.stderr(), exitCode ?? signal);
    return { exitCode, stdout: kept.stdout(), reason };
  } finally {
    cancelTimer();
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
}

const NOTHING: GitEnd = { exitCode: null, stdout: Buffer.alloc(0), reason: '' };

interface Kept {
  onOutput(stream: 'stdout' | 'stderr', bytes: Buffer): Promise<void>;
  stdout(): Buffer;
  stderr(): string;
}

/** Keeps output up to `maxBytes`; what comes after is dropped, and told once. */
function createKept(maxBytes: number, onTooMuch: () => void): Kept {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let stderr = '';
  return {
    async onOutput(stream, chunk) {
      if (stream === 'stderr') {
        if (stderr.length < KEPT_GIT_WORDS) stderr += chunk.toString('utf8');
        return;
      }
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else onTooMuch();
    },
    stdout: () => Buffer.concat(chunks),
    stderr: () => stderr,
  };
}
