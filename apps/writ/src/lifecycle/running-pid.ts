import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Home } from '../home.ts';
import { processStart } from './process-start.ts';

/** What a pid file says of a process. */
interface PidRecord {
  readonly pid: number;
  readonly start: string;
  /** The database folder of its home, as `folderOf` names it. */
  readonly database?: string;
  /** It has the home, and does not serve yet. */
  readonly starts?: boolean;
}

/** Files that a process has open; undefined where that cannot be told. */
export type OpenFiles = (pid: number) => readonly string[] | undefined;

/** The text of a pid file for this process, in the home whose node it is; `starts` where it does not serve yet. */
export function ownPidFile(home: Pick<Home, 'lockFile'>, starts = false): string {
  const database = folderOf(home);
  return JSON.stringify({ pid: process.pid, start: processStart(process.pid), database, ...(starts && { starts }) });
}

/**
 * Pid of the process that is the node of `home`: the one that a pid file names, or that holds the writer's lock, whatever became of
 * the files. Undefined where none lives. After a power cut the number in a file may be another program's, and a copied home has the
 * file of the one that it was copied from.
 */
export function runningPid(home: Home, openFiles: OpenFiles = filesOf): number | undefined {
  for (const file of [home.pidFile, home.holderFile]) {
    const record = recordIn(file);
    if (record !== undefined && isOf(home, record, openFiles)) return record.pid;
  }
  return lockHolder(home);
}

/**
 * Whether the process `pid`, which has the home, serves: it may have lost its socket then. Undefined where no file of it says that,
 * as in the moment before a node that starts has written the first.
 */
export function isServing(home: Home, pid: number): boolean | undefined {
  // The one beside the lock is the first that is written, and the last to say that it starts.
  for (const file of [home.holderFile, home.pidFile]) {
    const record = recordIn(file);
    if (record?.pid === pid) return record.starts !== true;
  }
  return undefined;
}

function recordIn(file: string): PidRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as Partial<PidRecord>;
    const { pid, start } = record;
    if (pid === undefined || start === undefined || processStart(pid) !== start) return undefined;
    return { ...record, pid, start };
  } catch {
    return undefined;
  }
}

/** Whether the process of a record is the node of this home, and not of the one that its files were copied from. */
function isOf(home: Home, { pid, database }: PidRecord, openFiles: OpenFiles): boolean {
  return holdsLock(home, pid, openFiles) ?? (database !== undefined && database === folderOf(home));
}

/** The folder of the database by its device and number: a copy has another one. */
function folderOf({ lockFile }: Pick<Home, 'lockFile'>): string | undefined {
  const folder = statOf(dirname(lockFile));
  return folder && `${folder.dev}:${folder.ino}`;
}

/**
 * Whether a process has the writer's lock of `home` open; undefined where its files cannot be told. Without a lock nobody writes
 * there: a copy that was made without it.
 */
function holdsLock({ lockFile }: Pick<Home, 'lockFile'>, pid: number, openFiles: OpenFiles): boolean | undefined {
  const lock = statOf(lockFile);
  if (lock === undefined) return false;
  return openFiles(pid)?.some((path) => {
    const file = statOf(path);
    return file !== undefined && file.dev === lock.dev && file.ino === lock.ino;
  });
}

/** proc_pid_fd(5), Linux only: of the own user's processes alone. */
function filesOf(pid: number): readonly string[] | undefined {
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
    if (inode === `${lock.ino}` && holdsLock(home, Number(pid), filesOf) === true) return Number(pid);
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
