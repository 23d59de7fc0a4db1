import type { Clock } from '@writ/core';
import { MARKER } from '../process-tree/members.ts';
import type { Spawner } from '../spawned.ts';
import type { Executed } from './probe.ts';

/** Longest that a look at a sandbox may take, milliseconds. */
const LONGEST_MS = 10_000;
/** Bytes kept of each stream. */
const KEPT_BYTES = 16 * 1024;

/** How a program is run. */
export interface ExecuteHow {
  /** Its whole environment, empty where absent; only the mark that its processes are found by is added. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends it. */
  readonly unwanted?: AbortSignal;
}

/** Runs small programs to their end, with these bytes on `TOLD_FD`, away from this process. */
export function createExecute(options: {
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly nonce: () => string;
  readonly cwd: string;
}): (argv: readonly string[], told?: Uint8Array, how?: ExecuteHow) => Promise<Executed> {
  const { spawner, clock, cwd } = options;
  return async (argv, told, { env = {}, unwanted } = {}) => {
    const kept = { stdout: '', stderr: '' };
    const nonce = options.nonce();
    const more = told === undefined ? {} : { told: Buffer.from(told).toString('base64') };
    const order = { argv, cwd, env: { ...env, [MARKER]: nonce }, nonce, graceMs: 0, ...more };
    let stop = (): void => {};
    const end = (): void => stop();
    unwanted?.addEventListener('abort', end);
    try {
      if (unwanted?.aborted) return { exitCode: null, stdout: '', said: 'it is not wanted any more' };
      const result = await spawner.spawn(order, async (stream, bytes) => {
        if (kept[stream].length < KEPT_BYTES) kept[stream] += bytes.toString('utf8');
      });
      if (!result.ok) return { exitCode: null, stdout: '', said: result.failed.message };
      stop = () => result.process.stop();
      // Ended while it was being started.
      if (unwanted?.aborted) stop();
      const cancelTimer = clock.setTimer(LONGEST_MS, stop);
      const { exitCode } = await result.process.done;
      cancelTimer();
      return { exitCode, stdout: kept.stdout, said: kept.stderr };
    } catch (error) {
      return { exitCode: null, stdout: '', said: String(error) };
    } finally {
      unwanted?.removeEventListener('abort', end);
    }
  };
}
