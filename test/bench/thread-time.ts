import { readFileSync } from 'node:fs';

/** What a thread computed, and how long it was ready and had no processor, milliseconds; NaN where the system does not say. */
export interface ThreadTimes {
  readonly computedMs: number;
  readonly waitedMs: number;
}

/**
 * Of this thread alone. On a machine that is shared it tells what is computed from what waits for a processor.
 */
export function threadTimes(): ThreadTimes {
  // Asking for the times of the process brings those of its running thread up to date first.
  process.cpuUsage();
  return timesOf('thread-self');
}

/** The same of the first thread of another process, which is the one that serves where that is a node. */
export function processTimes(pid: number): ThreadTimes {
  return timesOf(`${pid}`);
}

/** Processor time of this thread, milliseconds; NaN where the system does not say. */
export function threadTimeMs(): number {
  return threadTimes().computedMs;
}

/** … and of the first thread of another process. */
export function processTimeMs(pid: number): number {
  return processTimes(pid).computedMs;
}

function timesOf(task: string): ThreadTimes {
  try {
    const [computed, waited] = readFileSync(`/proc/${task}/schedstat`, 'utf8').split(' ');
    return { computedMs: Number(computed) / 1e6, waitedMs: Number(waited) / 1e6 };
  } catch {
    return { computedMs: Number.NaN, waitedMs: Number.NaN };
  }
}
