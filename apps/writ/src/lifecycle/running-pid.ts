import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Home } from '../home.ts';

/** The text of a pid file for this process. */
export function ownPidFile(): string {
  return JSON.stringify({ pid: process.pid, start: processStart(process.pid) });
}

/**
 * Pid that the node of `home` wrote when it started, where that very process lives; undefined otherwise. After a power
 * cut the number may be another program's.
 */
export function runningPid(home: Home): number | undefined {
  try {
    const { pid, start } = JSON.parse(readFileSync(home.pidFile, 'utf8')) as { pid: number; start?: string };
    return start !== undefined && processStart(pid) === start ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What tells a process from every later one with its pid; undefined where there is none, or where it only waits for its
 * parent to notice its end.
 */
export function processStart(pid: number): string | undefined {
  try {
    return existsSync('/proc/self') ? startInProc(pid) : startFromPs(pid);
  } catch {
    return undefined;
  }
}

/** The boot, and clock ticks since then: proc_pid_stat(5), whose name in brackets may hold brackets and spaces. */
function startInProc(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const hasEnded = fields[0] === 'Z' || fields[0] === 'X';
  return hasEnded ? undefined : `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`;
}

/** The second in which it started. */
function startFromPs(pid: number): string | undefined {
  const [state = '', ...start] = execFileSync('ps', ['-o', 'state=,lstart=', '-p', `${pid}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { LC_ALL: 'C' },
  })
    .trim()
    .split(/\s+/);
  return state === '' || state.startsWith('Z') ? undefined : start.join(' ');
}
