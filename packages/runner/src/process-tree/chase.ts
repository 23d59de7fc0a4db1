import type { Lifeline } from './lifeline.ts';
import { markOf, type TreeMarks } from './members.ts';
import type { ProcessTable } from './process-table.ts';
import { killAtOnce } from './signal.ts';

/** How long a pid is tried whose process may not be visible yet, milliseconds. */
const BEING_MADE_MS = 3;

/**
 * KILLs a run's processes as they are born, for `forMs` at most, without a pause and without giving way: a process that
 * forks and exits again and again lives for about a millisecond, less than a look at the whole table takes. Returns
 * early when nobody holds the lifeline any more. The number of processes that were hit.
 */
export function chase(
  marks: TreeMarks,
  lifeline: Lifeline | undefined,
  forMs: number,
  tools: { readonly table: ProcessTable; readonly nowMs: () => number },
): number {
  const { table, nowMs } = tools;
  const untilMs = nowMs() + forMs;
  const unseen = new Map<number, number>();
  let hit = 0;
  let last = table.lastPid();
  for (let now = nowMs(); now < untilMs && lifeline?.isHeld() !== false; now = nowMs()) {
    for (const pid of table.pidsAfter(last)) {
      last = pid;
      unseen.set(pid, now + BEING_MADE_MS);
    }
    for (const [pid, untilSeenMs] of unseen) {
      const mark = markOf(marks, pid, table);
      if (mark === true) {
        killAtOnce(pid);
        hit += 1;
      }
      // Whoever is there and has no mark gets none later.
      if (mark === true || now > untilSeenMs || (mark === false && table.entry(pid) !== undefined)) unseen.delete(pid);
    }
    // The pids began anew.
    if (table.lastPid() < last) last = table.lastPid();
  }
  return hit;
}
