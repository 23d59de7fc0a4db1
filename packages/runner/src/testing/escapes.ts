import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program that forks and ends again and again: no process of it lives longer than some milliseconds. */
export function writeHopper(folder: string, how: 'in its session' | 'in new sessions'): string {
  const path = join(folder, 'hop.sh');
  const next = how === 'in its session' ? `(sleep 0.002; exec sh ${path})` : `setsid sh ${path}`;
  writeFileSync(path, `${next} >/dev/null 2>&1 </dev/null &\nexit 0\n`);
  return path;
}
