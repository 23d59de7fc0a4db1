import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * What tells a process from every later one with its pid; undefined where there is none, or where it only waits for its
 * parent to notice its end.
 */
export function processStart(pid: number): string | undefined {
  const process = look(pid);
  return process === undefined || /^[ZX]/.test(process.state) ? undefined : process.start;
}

/** Whether a signal or a debugger holds the process still. */
export function isStopped(pid: number): boolean {
  return /^T/i.test(look(pid)?.state ?? '');
}

interface Look {
  /** One letter, and on macOS perhaps more: proc_pid_stat(5), ps(1). */
  readonly state: string;
  readonly start: string;
}

function look(pid: number): Look | undefined {
  try {
    return existsSync('/proc/self') ? inProc(pid) : fromPs(pid);
  } catch {
    return undefined;
  }
}

/** The boot, and clock ticks since then: proc_pid_stat(5), whose name in brackets may hold brackets and spaces. */
function inProc(pid: number): Look {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return { state: fields[0] ?? '', start: `${boot}/${fields[19]}` };
}

/** The second in which it started. */
function fromPs(pid: number): Look | undefined {
  const [state = '', ...start] = execFileSync('ps', ['-o', 'state=,lstart=', '-p', `${pid}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { LC_ALL: 'C' },
  })
    .trim()
    .split(/\s+/);
  return state === '' ? undefined : { state, start: start.join(' ') };
}
