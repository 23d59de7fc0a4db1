import type { ProcessEntry, ProcessTable } from './process-table.ts';

/** Environment variable that carries the attempt's nonce into every process of a run. */
export const MARKER = 'WRIT_ATTEMPT';

/** What is known of a run's processes. Any one of the marks makes a process, and all that descend from it, the run's. */
export interface TreeMarks {
  /** The process that was spawned; leader of its own session and group. */
  readonly leader?: { readonly pid: number; readonly startTicks: number };
  /** Values of the marker variable. */
  readonly nonces: readonly string[];
  /** What the marker variable's value begins with, besides. */
  readonly noncePrefix?: string;
  /** The attempt's own folder, absolute and resolved. */
  readonly folder?: string;
  /** Paths that the run's output pipes were made under; they are unlinked since. */
  readonly pipes?: readonly string[];
}

/**
 * The live processes of a run, escaped ones (`setsid`, double fork) included. Processes older than the leader are never
 * among them, nor is this process.
 */
export function findMembers(marks: TreeMarks, table: ProcessTable): readonly ProcessEntry[] {
  const all = table.entries();
  const since = marks.leader?.startTicks ?? 0;
  const candidates = all.filter((entry) => !entry.zombie && entry.startTicks >= since && entry.pid !== process.pid);
  const inSession = sessionTest(marks, table);
  const found = new Map<number, ProcessEntry>();
  for (const entry of candidates) {
    if (inSession(entry) || isMarked(marks, entry, table)) found.set(entry.pid, entry);
  }
  addDescendants(candidates, found);
  return [...found.values()];
}

/** True for members of the leader's session or group, as long as the leader's pid was not given to a stranger. */
function sessionTest(marks: TreeMarks, table: ProcessTable): (entry: ProcessEntry) => boolean {
  const { leader } = marks;
  if (leader === undefined) return () => false;
  // The kernel gives out no pid that is still a group's or session's number, so a stranger under the leader's pid
  // means that ours has no member left.
  const holder = table.entry(leader.pid);
  if (holder !== undefined && holder.startTicks !== leader.startTicks) return () => false;
  return (entry) => entry.group === leader.pid || entry.session === leader.pid;
}

function isMarked(marks: TreeMarks, entry: ProcessEntry, table: ProcessTable): boolean {
  const environment = table.environment(entry.pid);
  if (marks.nonces.some((nonce) => environment.includes(`${MARKER}=${nonce}`))) return true;
  const { noncePrefix } = marks;
  if (noncePrefix !== undefined && environment.some((pair) => pair.startsWith(`${MARKER}=${noncePrefix}`))) return true;
  if (marks.pipes !== undefined && table.outputs(entry.pid).some((name) => isPipe(name, marks.pipes ?? [])))
    return true;
  if (marks.folder === undefined) return false;
  const cwd = table.cwd(entry.pid);
  return cwd !== undefined && (cwd === marks.folder || cwd.startsWith(`${marks.folder}/`));
}

/** The kernel names an unlinked file by its old path and this ending. */
function isPipe(name: string, pipes: readonly string[]): boolean {
  return pipes.some((pipe) => name === `${pipe} (deleted)`);
}

function addDescendants(candidates: readonly ProcessEntry[], found: Map<number, ProcessEntry>): void {
  for (let grown = found.size > 0; grown; ) {
    grown = false;
    for (const entry of candidates) {
      if (found.has(entry.pid) || !found.has(entry.parent)) continue;
      found.set(entry.pid, entry);
      grown = true;
    }
  }
}
