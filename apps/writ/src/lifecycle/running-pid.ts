import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { Home } from '../home.ts';
import { processStart } from './process-start.ts';

/** The text of a pid file for this process. */
export function ownPidFile(): string {
  return JSON.stringify({ pid: process.pid, start: processStart(process.pid) });
}

/**
 * Pid of the process that is the node of `home`: the one that a pid file names, or that holds the writer's lock, whatever became of
 * the files. Undefined where none lives. After a power cut the number in a file may be another program's, and a copied home has the
 * file of the one that it was copied from.
 */
export function runningPid(home: Home): number | undefined {
  for (const file of [home.pidFile, home.holderFile]) {
    const pid = recordedPid(file);
    if (pid !== undefined && holdsLock(home, pid) !== false) return pid;
  }
  return lockHolder(home);
}

function recordedPid(file: string): number | undefined {
  try {
    const { pid, start } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; start?: string };
    return start !== undefined && processStart(pid) === start ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process has the writer's lock of `home` open; undefined where that cannot be told. Linux only. */
function holdsLock({ lockFile }: Pick<Home, 'lockFile'>, pid: number): boolean | undefined {
  const lock = statOf(lockFile);
  const files = lock === undefined ? undefined : openFiles(pid);
  return files?.some((path) => {
    const file = statOf(path);
    return file !== undefined && file.dev === lock?.dev && file.ino === lock.ino;
  });
}

/** proc_pid_fd(5): of the own user's processes alone. */
function openFiles(pid: number): readonly string[] | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => `/proc/${pid}/fd/${name}`);
  } catch {
    return undefined;
  }
}

/** Who holds the lock by what the kernel says, proc_locks(5): also a node that wrote its files elsewhere. Linux only. */
function lockHolder(home: Home): number | undefined {
  const lock = statOf(home.lockFile);
  if (lock === undefined) return undefined;
  for (const line of kernelLocks()) {
    const [, pid, inode] = /^\d+: POSIX +\S+ +WRITE (\d+) [^: ]+:[^: ]+:(\d+) /.exec(line) ?? [];
    // Of a file system with devices of its own the number before the inode is another one: whoever it is has to have it open.
    if (inode === `${lock.ino}` && holdsLock(home, Number(pid)) === true) return Number(pid);
  }
  return undefined;
}

function kernelLocks(): readonly string[] {
  try {
    return readFileSync('/proc/locks', 'utf8').split('\n');
  } catch {
    return [];
  }
}

function statOf(path: string): { readonly dev: number; readonly ino: number } | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
