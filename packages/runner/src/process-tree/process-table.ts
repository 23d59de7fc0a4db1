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
  /** Every process; empty on a machine without a `/proc`. */
  entries(): readonly ProcessEntry[];
  entry(pid: number): ProcessEntry | undefined;
  /** `NAME=value` strings that it was started with; none where they may not be read. */
  environment(pid: number): readonly string[];
  /** Its working directory; undefined where that may not be read. */
  cwd(pid: number): string | undefined;
  /** What its standard output and error lead to, as the kernel names it. */
  outputs(pid: number): readonly string[];
  /** The pid that was given out last; 0 where unknown. */
  lastPid(): number;
}

/** Reads Linux's `/proc`. */
export function createProcessTable(): ProcessTable {
  const entry = (pid: number): ProcessEntry | undefined => {
    const stat = read(`/proc/${pid}/stat`);
    return stat === undefined ? undefined : parseStat(stat);
  };
  return {
    entry,
    entries: () => listPids().flatMap((pid) => entry(pid) ?? []),
    environment: (pid) => (read(`/proc/${pid}/environ`) ?? '').split('\0').filter((pair) => pair !== ''),
    cwd: (pid) => readLink(`/proc/${pid}/cwd`),
    outputs: (pid) => [1, 2].flatMap((fd) => readLink(`/proc/${pid}/fd/${fd}`) ?? []),
    lastPid: () => Number((read('/proc/loadavg') ?? '').trim().split(' ')[4] ?? 0) || 0,
  };
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
    zombie: fields[0] === 'Z' || fields[0] === 'X',
  };
}

function listPids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
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
