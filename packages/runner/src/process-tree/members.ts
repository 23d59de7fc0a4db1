import type { ProcessEntry, ProcessTable } from './process-table.ts';

/** Environment variable that carries the attempt's nonce into every process of a run. */
export const MARKER = 'WRIT_ATTEMPT';

/** What is known of a run's processes. Any one of the marks makes a process, and all that descend from it, the run's. */
export interface TreeMarks {
  /** The process that was spawned; leader of its own session and group. */
  readonly leader?: { readonly pid: number; readonly startTicks: number };
  /** Pid of a process whose end would end the others before they could obey a TERM. */
  readonly keeper?: number;
  /** Values of the marker variable. */
  readonly nonces: readonly string[];
  /** What the marker variable's value begins with, besides. */
  readonly noncePrefix?: string;
  /** The attempt's own folder, absolute and resolved. */
  readonly folder?: string;
  /** Paths that the run's output pipes and its lifeline were made under; they are unlinked since. */
  readonly pipes?: readonly string[];
  /** True for paths (of HOME, TMPDIR, a working directory, an open file) that none but these processes have. */
  readonly owns?: (path: string) => boolean;
}

/** What one look at the machine's processes found. */
export interface Look {
  readonly members: readonly ProcessEntry[];
  /** Some process could not be told: it was between two programs. */
  readonly unsure: boolean;
}

/**
 * The live processes of a run, escaped ones (`setsid`, double fork) included. Processes older than the leader are never
 * among them, nor is this process.
 */
export function findMembers(marks: TreeMarks, table: ProcessTable): readonly ProcessEntry[] {
  return look(marks, table, table.pids()).members;
}

/** Looks at each of these pids once, in their order. `deep` looks at all descriptors for the run's pipes. */
export function look(marks: TreeMarks, table: ProcessTable, pids: Iterable<number>, deep = false): Look {
  const since = marks.leader?.startTicks ?? 0;
  const inSession = sessionTest(marks, table);
  const candidates: ProcessEntry[] = [];
  const found = new Map<number, ProcessEntry>();
  let unsure = false;
  for (const pid of pids) {
    const entry = pid === process.pid ? undefined : table.entry(pid);
    if (entry === undefined || entry.zombie || entry.startTicks < since) continue;
    candidates.push(entry);
    // The marks come right after, not in a second round: until then it might have left a child and ended.
    const isMember = inSession(entry) || markOf(marks, pid, table, deep);
    if (isMember === true) found.set(pid, entry);
    if (isMember === 'unsure') unsure = true;
  }
  addDescendants(candidates, found);
  return { members: [...found.values()], unsure };
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

/** Whether a process has one of the marks that do not depend on other processes. */
export function markOf(marks: TreeMarks, pid: number, table: ProcessTable, deep = false): boolean | 'unsure' {
  const { pipes = [], owns = () => false } = marks;
  if (pipes.length > 0 || marks.owns !== undefined) {
    const open = deep ? table.descriptors(pid) : table.outputs(pid);
    if (open.some((name) => isPipe(name, pipes) || owns(name))) return true;
  }
  if (marks.folder !== undefined || marks.owns !== undefined) {
    const cwd = table.cwd(pid);
    if (cwd !== undefined && (isInside(cwd, marks.folder) || owns(cwd))) return true;
  }
  const environment = table.environment(pid);
  if (environment.length === 0) return table.isExecuting(pid) ? 'unsure' : false;
  return environment.some((pair) => isMark(pair, marks, owns));
}

function isMark(pair: string, marks: TreeMarks, owns: (path: string) => boolean): boolean {
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  if (name === 'HOME' || name === 'TMPDIR') return owns(value);
  if (name !== MARKER) return false;
  return marks.nonces.includes(value) || (marks.noncePrefix !== undefined && value.startsWith(marks.noncePrefix));
}

function isInside(path: string, folder: string | undefined): boolean {
  return folder !== undefined && (path === folder || path.startsWith(`${folder}/`));
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
