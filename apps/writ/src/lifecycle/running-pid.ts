import { existsSync, readFileSync } from 'node:fs';
import type { Home } from '../home.ts';

/** Pid that the node of `home` wrote when it started, where such a process lives; undefined otherwise. */
export function runningPid(home: Home): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(home.pidFile, 'utf8')) as { pid: number };
    return isRunning(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process with this pid lives. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie that its parent has not collected answers signals too; it serves nothing any more.
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return existsSync('/proc/self') === false;
  }
}
