import type { ProcessEntry, ProcessTable } from '../process-tree/process-table.ts';

/** Every process of the machine. */
export function processes(table: ProcessTable): readonly ProcessEntry[] {
  return [...table.pids()].flatMap((pid) => table.entry(pid) ?? []);
}
