import { hasErrno } from '@writ/core';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

/**
 * Signals a process if it is still the one that was seen: a pid that was given to another is left alone. KILL goes to
 * its whole group where the group's leader is one of `members`, or gone.
 */
export function signalProcess(
  entry: ProcessEntry,
  signal: NodeJS.Signals,
  table: ProcessTable,
  members: ReadonlySet<number> = new Set(),
): 'sent' | 'gone' | 'refused' {
  if (table.entry(entry.pid)?.startTicks !== entry.startTicks) return 'gone';
  try {
    // That is atomic, so a process that forks without end in its group cannot outrun it.
    if (signal === 'SIGKILL' && isOwnGroup(entry, table, members)) process.kill(-entry.group, signal);
    else process.kill(entry.pid, signal);
    // A stopped process obeys TERM only once it goes on.
    if (signal === 'SIGTERM') process.kill(entry.pid, 'SIGCONT');
    return 'sent';
  } catch (error) {
    return hasErrno(error, 'EPERM') ? 'refused' : 'gone';
  }
}

/** Nobody else can be in it: a group is joined from within its session only. */
function isOwnGroup({ pid, group }: ProcessEntry, table: ProcessTable, members: ReadonlySet<number>): boolean {
  if (group <= 1 || group === table.entry(process.pid)?.group) return false;
  return group === pid || members.has(group) || table.entry(group) === undefined;
}

/** KILLs a process that was seen this very moment, and what it has just made in a group of its own. */
export function killAtOnce(pid: number): void {
  for (const target of [pid, -pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It has ended, or leads no group.
    }
  }
}
