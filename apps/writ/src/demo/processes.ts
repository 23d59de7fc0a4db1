import { readdirSync, readFileSync } from 'node:fs';

/**
 * Pids of live processes whose command line holds `mark` (zombies have none) and whose environment leads to `dir`, so that
 * two demos at once do not see each other. Linux only; elsewhere empty.
 */
export function processesWith(mark: string, dir: string): readonly number[] {
  let entries: string[];
  try {
    entries = readdirSync('/proc');
  } catch {
    return [];
  }
  return entries
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) => read(pid, 'cmdline').includes(mark) && read(pid, 'environ').includes(dir))
    .map(Number);
}

function read(pid: string, what: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return '';
  }
}
