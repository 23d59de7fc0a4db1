import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { TaskRunner } from '@writ/runner';
import { interleave } from './interleave.ts';
import type { Ratio } from './report.ts';
import { benchSpec, createBenchRunner, type RunnerPlace } from './runner-world.ts';
import { type Longest, measureSpawns, type SpawnStalls } from './spawn-stall.ts';
import { type Summary, summarize } from './statistics.ts';
import type { Subject } from './subject.ts';

const MIB = 1024 ** 2;
/** Written once by each subject in each round. */
const ROUND_BYTES = 512 * MIB;
const SMALL_BYTES = 10 * MIB;
const WARM_UP_ROUNDS = 2;
/** What the runtimes of two processes hold between two collections of garbage, which ten MiB never fill, bytes. */
const SLACK_BYTES = 64 * MIB;
/** Longest that a spawn may hold up the gateway's loop, milliseconds. */
const LONGEST_MS = 5;

/** What of the bench says how much: MiB of the flood whose memory is looked at. */
export interface OutputPlan {
  readonly rounds: number;
  readonly floodMib: number;
}

/**
 * Goal 7: output that is kept against the same output dropped where it arrives (and against a bare pipe, for comparison), in
 * turn; the peak memory of node and spawner in a flood against that of 10 MiB; how long a start holds up a node of 512 MiB.
 */
export async function benchOutput(
  { rounds, floodMib }: OutputPlan,
  place: RunnerPlace,
): Promise<{ readonly lines: readonly string[]; readonly report: object }> {
  const runner = createBenchRunner(place, 0);
  try {
    // The first of everything loads code and fills caches.
    await capture(runner, SMALL_BYTES);
    const peaks = await peaksOf(runner, floodMib * MIB);
    const subjects = [capturing(runner), discarding(runner), readingPipe()];
    const samples = await interleave(subjects, { rounds, warmUp: WARM_UP_ROUNDS });
    const summaries = new Map([...samples].map(([name, values]): [string, Summary] => [name, summarize(values)]));
    const stalls = await measureSpawns(rounds, runner);
    return reportOf({ summaries, peaks, stalls, rounds, floodMib });
  } finally {
    await runner.close();
  }
}

const floodArgv = (bytes: number): readonly string[] => ['head', '-c', String(bytes), '/dev/zero'];

/** A run as a task's: counted, redacted, kept to the transcript's cap. */
async function capture(runner: TaskRunner, bytes: number): Promise<void> {
  const spec = benchSpec(floodArgv(bytes));
  const prepared = await runner.prepare(spec, new AbortController().signal);
  const run = await prepared.start(spec, { output: () => {} });
  const { stdoutBytes } = await run.done;
  run.release();
  if (stdoutBytes !== bytes) throw new Error(`${stdoutBytes} of ${bytes} bytes came`);
}

function capturing(runner: TaskRunner): Subject {
  return {
    ...{ name: 'capture', does: 'a run whose output is redacted, hashed, kept to its cap and reported' },
    ...{ setup: async () => {}, teardown: async () => {} },
    once: () => capture(runner, ROUND_BYTES),
  };
}

/** The same way through the spawner, with nothing done to what comes. */
function discarding({ services }: TaskRunner): Subject {
  return {
    ...{ name: 'discard', does: 'the same program through the spawner, its output dropped where it arrives' },
    ...{ setup: async () => {}, teardown: async () => {} },
    async once() {
      let came = 0;
      const onOutput = async (bytes: Buffer): Promise<void> => {
        came += bytes.length;
      };
      const env = { PATH: '/usr/bin:/bin' };
      const service = await services.start({ argv: floodArgv(ROUND_BYTES), env, onOutput });
      await service.done;
      if (came !== ROUND_BYTES) throw new Error(`${came} of ${ROUND_BYTES} bytes came`);
    },
  };
}

/** No spawner: what this runtime reads from a child of its own. */
function readingPipe(): Subject {
  return {
    ...{ name: 'bare pipe', does: 'the same program as a child of this process, its output dropped' },
    ...{ setup: async () => {}, teardown: async () => {} },
    async once() {
      const [program = '', ...args] = floodArgv(ROUND_BYTES);
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
      child.stdout.on('data', () => {});
      await once(child, 'close');
    },
  };
}

interface Peaks {
  readonly smallBytes: number;
  readonly floodBytes: number;
}

/** Peak of this process and its spawner together, in 10 MiB of output and in a flood. */
async function peaksOf(runner: TaskRunner, bytes: number): Promise<Peaks> {
  const peakIn = async (amount: number): Promise<number> => {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number);
    const pids = [process.pid, ...children];
    // The kernel begins to count anew.
    for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5');
    await capture(runner, amount);
    return pids.reduce((sum, pid) => sum + peakBytes(pid), 0);
  };
  const smallBytes = await peakIn(SMALL_BYTES);
  return { smallBytes, floodBytes: await peakIn(bytes) };
}

function peakBytes(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

interface Measured {
  readonly summaries: ReadonlyMap<string, Summary>;
  readonly peaks: Peaks;
  readonly stalls: SpawnStalls;
  readonly rounds: number;
  readonly floodMib: number;
}

function reportOf({ summaries, peaks, stalls, rounds, floodMib }: Measured): {
  readonly lines: readonly string[];
  readonly report: object;
} {
  const rate = (name: string): number => ROUND_BYTES / MIB / ((summaries.get(name)?.medianMs ?? Number.NaN) / 1000);
  const captured = rate('capture') / rate('discard');
  const moreBytes = peaks.floodBytes - peaks.smallBytes;
  const goals: readonly (Ratio & { readonly shown: string })[] = [
    {
      ...atMost('discard / capture', 1 / captured, 1 / 0.9),
      shown: `capture ${captured.toFixed(3)} × discard, goal ≥ 0.9`,
    },
    {
      ...atMost('memory', moreBytes / MIB, SLACK_BYTES / MIB),
      shown: `${floodMib} MiB of output cost ${(moreBytes / MIB).toFixed(1)} MiB more than 10 MiB, goal ≤ ${SLACK_BYTES / MIB} (garbage)`,
    },
    {
      ...atMost('loop', stalls.starts.computedMs, LONGEST_MS),
      shown: `longest piece of computing in a start ${stalls.starts.computedMs.toFixed(2)} ms, goal ≤ ${LONGEST_MS}`,
    },
  ];
  const lines = [
    ...[...summaries].map(([name, { medianMs, p99Ms }]) => {
      return `${name.padEnd(12)} ${rate(name).toFixed(0).padStart(6)} MiB/s  median ${medianMs.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms`;
    }),
    `peak memory  ${(peaks.smallBytes / MIB).toFixed(1)} MiB in 10 MiB of output, ${(peaks.floodBytes / MIB).toFixed(1)} MiB in ${floodMib} MiB`,
    ...stallLines(stalls),
    '',
    ...goals.map(({ shown, met }) => `${shown}  ${met ? 'met' : 'NOT MET'}`),
  ];
  return {
    lines,
    report: { goal: 7, rounds, floodMib, subjects: Object.fromEntries(summaries), peaks, stalls, goals },
  };
}

function stallLines(stalls: SpawnStalls): readonly string[] {
  const line = (what: string, { waitedMs, computedMs }: Longest): string =>
    `${what.padEnd(28)} longest wait of the loop ${waitedMs.toFixed(2)} ms, of it computed ${computedMs.toFixed(2)} ms`;
  return [
    line('starts by the runner', stalls.starts),
    line('the loop alone', stalls.alone),
    line('spawned by itself instead', stalls.direct),
  ];
}

const atMost = (name: string, value: number, limit: number): Ratio => ({
  name,
  value,
  atMost: limit,
  met: value <= limit,
});
