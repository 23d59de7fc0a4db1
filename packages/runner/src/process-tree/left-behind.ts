import { look, type TreeMarks } from './members.ts';
import type { ProcessTable } from './process-table.ts';

/** Longest run and most new pids for which looking at each new pid is cheaper than the whole table. */
const SHORT_RUN_MS = 1000;
const FEW_PIDS = 64;

/**
 * False where a run that has just ended certainly left no process with a mark: none of those made after its leader is
 * its own. Keeps the whole process table out of the path of short runs; true only means that one has to look.
 */
export function mayHaveLeftBehind(marks: TreeMarks, ranForMs: number, table: ProcessTable): boolean {
  const { leader } = marks;
  // Pids wrap, so the shortcut holds only where there was no time to go round.
  if (leader === undefined || ranForMs >= SHORT_RUN_MS || table.lastPid() < leader.pid) return true;
  let made = 0;
  const few = function* (): Generator<number> {
    for (const pid of table.pidsAfter(leader.pid)) {
      made += 1;
      if (made > FEW_PIDS) return;
      yield pid;
    }
  };
  const { members, unsure } = look(marks, table, few());
  return members.length > 0 || unsure || made > FEW_PIDS;
}
