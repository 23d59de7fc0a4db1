import { readdirSync, readFileSync } from 'node:fs';

/** Pids of live processes whose command line holds `mark` (zombies have none). Linux only; elsewhere empty. */
export function processesWith(mark: string): readonly number[] {
  let entries: string[];
  try {
    entries = readdirSync('/proc');
  } catch {
    return [];
  }
  return entries
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) => commandLine(pid).includes(mark))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
