import { findMembers, type TreeMarks } from './members.ts';
import type { ProcessTable } from './process-table.ts';

/** Longest run and most new pids for which looking at each new pid is cheaper than the whole table. */
const SHORT_RUN_MS = 1000;
const FEW_PIDS = 64;

/**
 * False where a run that has just ended certainly left no process: none of those made after its leader is its own.
 * Keeps the whole process table out of the path of short runs; true only means that one has to look.
 */
export function mayHaveLeftBehind(marks: TreeMarks, ranForMs: number, table: ProcessTable): boolean {
  const { leader } = marks;
  const last = table.lastPid();
  // Pids wrap, so the shortcut holds only where there was no time to go round.
  if (leader === undefined || ranForMs >= SHORT_RUN_MS || last < leader.pid || last - leader.pid > FEW_PIDS)
    return true;
  const made = Array.from({ length: last - leader.pid }, (_, at) => leader.pid + 1 + at);
  const entries = (): ReturnType<ProcessTable['entries']> => made.flatMap((pid) => table.entry(pid) ?? []);
  return findMembers(marks, { ...table, entries }).length > 0;
}
