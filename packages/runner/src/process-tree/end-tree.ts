import { findMembers, type TreeMarks } from './members.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

/** What ending a tree needs of its surroundings. */
export interface TreeTools {
  readonly table: ProcessTable;
  /** Resolves after `ms` milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** Milliseconds, monotonic. */
  readonly nowMs: () => number;
}

/** How ending a tree went. */
export interface TreeEnd {
  /** Different processes that were found alive. */
  readonly found: number;
  /** Pids that this user may not signal; they are left. */
  readonly refused: readonly number[];
}

/** Shortest and longest time between two looks at the process table, milliseconds. */
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;
/** Looks that must find nothing before a tree counts as gone: one could miss a child of a process that just ended. */
const EMPTY_LOOKS = 2;

/**
 * Ends a run's processes: TERM, up to `graceMs` for them to obey, then KILL, until none is left. Resolves when the tree
 * is gone. A signal is sent only to a process whose start time is still the one that was seen.
 */
// INVARIANT: 9 no process outlives its node: this is how every one of them is ended.
export async function endTree(marks: TreeMarks, graceMs: number, tools: TreeTools): Promise<TreeEnd> {
  const seen = new Set<string>();
  const termed = new Set<string>();
  const refused = new Set<number>();
  const startedMs = tools.nowMs();
  let pauseMs = FIRST_PAUSE_MS;
  for (let empty = 0; empty < EMPTY_LOOKS; ) {
    const members = findMembers(marks, tools.table).filter((entry) => !refused.has(entry.pid));
    if (members.length === 0) {
      // A tree that was never there costs one look only.
      if (seen.size === 0) break;
      empty += 1;
      continue;
    }
    empty = 0;
    const signal = tools.nowMs() - startedMs < graceMs ? 'SIGTERM' : 'SIGKILL';
    for (const entry of members) {
      const key = `${entry.pid}:${entry.startTicks}`;
      seen.add(key);
      if (signal === 'SIGTERM' && termed.has(key)) continue;
      termed.add(key);
      if (signalProcess(entry, signal, tools.table) === 'refused') refused.add(entry.pid);
    }
    await tools.pause(pauseMs);
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
  }
  return { found: seen.size, refused: [...refused] };
}

/** KILLs, once, every process of a run that can be found; returns how many there were. For a caller that cannot wait. */
export function killTree(marks: TreeMarks, table: ProcessTable): number {
  const members = findMembers(marks, table);
  return members.filter((entry) => signalProcess(entry, 'SIGKILL', table) === 'sent').length;
}

/** Signals a process if it is still the one that was seen: a pid that was given to another is left alone. */
export function signalProcess(
  entry: ProcessEntry,
  signal: NodeJS.Signals,
  table: ProcessTable,
): 'sent' | 'gone' | 'refused' {
  if (table.entry(entry.pid)?.startTicks !== entry.startTicks) return 'gone';
  try {
    // KILL goes to whole groups: that is atomic, so a process that forks without end cannot outrun it.
    process.kill(signal === 'SIGKILL' && entry.group === entry.pid ? -entry.pid : entry.pid, signal);
    // A stopped process obeys TERM only once it goes on.
    if (signal === 'SIGTERM') process.kill(entry.pid, 'SIGCONT');
    return 'sent';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' ? 'refused' : 'gone';
  }
}
