import { readFileSync } from 'node:fs';

/**
 * Processor time that this thread alone has taken, milliseconds; NaN where the system does not say. On a machine that is
 * shared it tells what is computed from what waits for a processor.
 */
export function threadTimeMs(): number {
  // Asking for the times of the process brings those of its running thread up to date first.
  process.cpuUsage();
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}
