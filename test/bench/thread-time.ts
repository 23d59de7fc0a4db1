import { readFileSync } from 'node:fs';

/**
 * Processor time that this thread alone has taken, milliseconds; NaN where the system does not say. On a machine that is
 * shared it tells what is computed from what waits for a processor.
 */
export function threadTimeMs(): number {
  // Asking for the times of the process brings those of its running thread up to date first.
  process.cpuUsage();
  return timeOf('thread-self');
}

/** The same of the first thread of another process, which is the one that serves where that is a node. */
export function processTimeMs(pid: number): number {
  return timeOf(`${pid}`);
}

function timeOf(task: string): number {
  try {
    return Number(readFileSync(`/proc/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}
