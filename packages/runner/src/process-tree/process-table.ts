import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** One process as the kernel describes it. `startTicks` tells it from a later one with the same pid. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks after boot at which it started. */
  readonly startTicks: number;
  /** It has ended and only waits for its parent to notice. */
  readonly zombie: boolean;
}

/** The machine's processes, read when asked. Everything is synchronous: a process must not change under the reader. */
export interface ProcessTable {
  /** Every pid from low to high, read while it is walked: see `walk`. Empty on a machine without a `/proc`. */
  pids(): Iterable<number>;
  /** The pids above one, in use or not, up to the last that was given out when the walk gets there. */
  pidsAfter(pid: number): Iterable<number>;
  entry(pid: number): ProcessEntry | undefined;
  /** `NAME=value` strings that it was started with; none where they may not be read. */
  environment(pid: number): readonly string[];
  /** It is between two programs: its environment reads as empty, and is not. */
  isExecuting(pid: number): boolean;
  /** Its working directory; undefined where that may not be read. */
  cwd(pid: number): string | undefined;
  /** What its standard output and error and descriptor 3 lead to, as the kernel names it. */
  outputs(pid: number): readonly string[];
  /** What all its descriptors lead to. */
  descriptors(pid: number): readonly string[];
  /** The pid that was given out last; 0 where unknown. */
  lastPid(): number;
}

/** A pid among this many newest may belong to a process that is being made and cannot be seen yet. */
const BEING_MADE = 128;
/** Places in a `stat` line, from the state on: size of the memory, start and end of the environment. */
const VSIZE = 20;
const ENV_END = 48;

/** Reads Linux's `/proc`. */
export function createProcessTable(): ProcessTable {
  const entry = (pid: number): ProcessEntry | undefined => {
    const stat = read(`/proc/${pid}/stat`);
    return stat === undefined ? undefined : parseStat(stat);
  };
  return {
    entry,
    pids: () => walk(),
    pidsAfter: (pid) => walkAfter(pid),
    environment: (pid) => (read(`/proc/${pid}/environ`) ?? '').split('\0').filter((pair) => pair !== ''),
    isExecuting: (pid) => {
      const stat = read(`/proc/${pid}/stat`) ?? '';
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // The numbers of another user's process read as 0, and so does its environment; nothing comes of waiting for it.
      return fields[ENV_END] === '0' && fields[VSIZE] !== '0' && read(`/proc/${pid}/environ`) === '';
    },
    cwd: (pid) => readLink(`/proc/${pid}/cwd`),
    outputs: (pid) => [3, 1, 2].flatMap((fd) => readLink(`/proc/${pid}/fd/${fd}`) ?? []),
    descriptors: (pid) => list(`/proc/${pid}/fd`).flatMap((fd) => readLink(`/proc/${pid}/fd/${fd}`) ?? []),
    lastPid,
  };
}

/** Whether a process is another one, or was started by it or by what it started. */
export function descendsFrom(pid: number, ancestor: number, table: Pick<ProcessTable, 'entry'>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = table.entry(at)?.parent) {
    if (at === ancestor) return true;
  }
  return false;
}

function lastPid(): number {
  return Number((read('/proc/loadavg') ?? '').trim().split(' ')[4] ?? 0) || 0;
}

/**
 * A list of `/proc` is no snapshot: who is born after it is missing, and its parent may have ended before it is looked
 * at. So each process must be looked at before all that it makes. Pids grow, hence the order: whoever is missed was not
 * yet born, then its parent was alive after it had been looked at, and was found. That also asks for the end to move
 * along, and for the newest to be tried one by one. It holds as long as the pids do not begin anew meanwhile.
 */
function* walk(): Generator<number> {
  const last = lastPid();
  const tried = Math.max(0, last - BEING_MADE);
  const listed = list('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  listed.sort((one, other) => one - other);
  for (const pid of listed) if (pid <= tried || pid > last) yield pid;
  yield* walkAfter(tried);
}

function* walkAfter(first: number): Generator<number> {
  let pid = first;
  for (let last = lastPid(); pid < last; last = lastPid()) {
    while (pid < last) {
      pid += 1;
      yield pid;
    }
  }
}

/** A `/proc/PID/stat` line (proc_pid_stat(5)); the name in brackets may hold anything, also brackets and spaces. */
export function parseStat(stat: string): ProcessEntry | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const pid = Number.parseInt(stat, 10);
  const startTicks = Number(fields[19]);
  if (!Number.isInteger(pid) || !Number.isFinite(startTicks)) return undefined;
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTicks,
    // Where only the first thread has ended, the others go on.
    zombie: (fields[0] === 'Z' || fields[0] === 'X') && Number(fields[17]) <= 1,
  };
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** A file of `/proc`; undefined where the process has gone or may not be looked at. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
