import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TaskRunner } from '@writ/runner';
import { benchSpec } from './runner-world.ts';
import { percentile } from './statistics.ts';
import { threadTimeMs } from './thread-time.ts';

/** So much is resident in the process that starts others. */
const RESIDENT_BYTES = 512 * 1024 ** 2;

/** What stood between two turns of the loop at most: median over the rounds, milliseconds. */
export interface Longest {
  /** By the clock on the wall, other programs of this machine included. */
  readonly waitedMs: number;
  /** Processor time of this thread in it, the kernel's included. */
  readonly computedMs: number;
}

/** The same while something runs, while nothing does, and while this process forks itself. */
export interface SpawnStalls {
  readonly starts: Longest;
  readonly alone: Longest;
  readonly direct: Longest;
}

/** How long a start of `true` holds up this process's loop, with 512 MiB in it; all three in turn. */
export async function measureSpawns(rounds: number, runner: TaskRunner): Promise<SpawnStalls> {
  const ballast = Buffer.alloc(RESIDENT_BYTES, 1);
  const samples = { starts: [] as Longest[], alone: [] as Longest[], direct: [] as Longest[] };
  for (let round = 0; round < rounds; round++) {
    samples.starts.push(await longestDuring(() => startByRunner(runner)));
    samples.alone.push(await longestDuring(() => new Promise((resolve) => setTimeout(resolve, 5))));
    samples.direct.push(await longestDuring(startDirectly));
  }
  // Read, so that it stays until here.
  if (ballast.at(-1) !== 1) throw new Error('the memory of the bench is gone');
  return { starts: medianOf(samples.starts), alone: medianOf(samples.alone), direct: medianOf(samples.direct) };
}

async function longestDuring(work: () => Promise<unknown>): Promise<Longest> {
  let longest: Longest = { waitedMs: 0, computedMs: 0 };
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  let last = { ms: performance.now(), threadMs: threadTimeMs() };
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = { ms: performance.now(), threadMs: threadTimeMs() };
    longest = {
      waitedMs: Math.max(longest.waitedMs, now.ms - last.ms),
      computedMs: Math.max(longest.computedMs, now.threadMs - last.threadMs),
    };
    last = now;
  }
  await working;
  return longest;
}

async function startByRunner(runner: TaskRunner): Promise<void> {
  const spec = benchSpec(['true']);
  const prepared = await runner.prepare(spec, new AbortController().signal);
  const run = await prepared.start(spec, { output: () => {} });
  await run.done;
  run.release();
}

async function startDirectly(): Promise<void> {
  await once(spawn('true', { stdio: ['ignore', 'pipe', 'pipe'] }), 'close');
}

function medianOf(samples: readonly Longest[]): Longest {
  return {
    waitedMs: percentile(
      samples.map(({ waitedMs }) => waitedMs),
      0.5,
    ),
    computedMs: percentile(
      samples.map(({ computedMs }) => computedMs),
      0.5,
    ),
  };
}
