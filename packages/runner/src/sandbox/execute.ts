import type { Clock } from '@writ/core';
import type { Spawner } from '../spawned.ts';
import type { Executed } from './probe.ts';

/** Longest that a look at a sandbox may take, milliseconds. */
const LONGEST_MS = 10_000;
/** Bytes kept of each stream. */
const KEPT_BYTES = 16 * 1024;

/** Runs small programs to their end, away from this process. */
export function createExecute(options: {
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly nonce: () => string;
  readonly cwd: string;
}): (argv: readonly string[], told?: Uint8Array) => Promise<Executed> {
  const { spawner, clock, cwd } = options;
  return async (argv, told) => {
    const kept = { stdout: '', stderr: '' };
    const more = told === undefined ? {} : { told: Buffer.from(told).toString('base64') };
    const order = { argv, cwd, env: {}, nonce: options.nonce(), graceMs: 0, ...more };
    try {
      const result = await spawner.spawn(order, async (stream, bytes) => {
        if (kept[stream].length < KEPT_BYTES) kept[stream] += bytes.toString('utf8');
      });
      if (!result.ok) return { exitCode: null, stdout: '', said: result.failed.message };
      const cancelTimer = clock.setTimer(LONGEST_MS, () => result.process.stop());
      const { exitCode } = await result.process.done;
      cancelTimer();
      return { exitCode, stdout: kept.stdout, said: kept.stderr };
    } catch (error) {
      return { exitCode: null, stdout: '', said: String(error) };
    }
  };
}
