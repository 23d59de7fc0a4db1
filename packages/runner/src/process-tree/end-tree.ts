import { chase } from './chase.ts';
import type { Lifeline } from './lifeline.ts';
import { look, type TreeMarks } from './members.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';
import { signalProcess } from './signal.ts';

/** What ending a tree needs of its surroundings. */
export interface TreeTools {
  readonly table: ProcessTable;
  /** Resolves after `ms` milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** Milliseconds, monotonic. */
  readonly nowMs: () => number;
}

/** The processes to end. */
export interface Tree {
  readonly marks: TreeMarks;
  /** Tells exactly whether some of them are left. */
  readonly lifeline?: Lifeline;
  /** Nothing must be found for this long before the tree counts as gone, milliseconds; 0 where absent. */
  readonly quietMs?: number;
}

/** How ending a tree went. */
export interface TreeEnd {
  /** Different processes that were found alive. */
  readonly found: number;
  /** Pids that this user may not signal, or that did not end; they are left. */
  readonly refused: readonly number[];
  /** Somebody held the lifeline when the time was over, found or not. */
  readonly held: boolean;
}

/** Shortest and longest time between two looks at the process table, milliseconds. */
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;
/** Looks that must find nothing before a tree counts as gone of which something was found. */
const EMPTY_LOOKS = 2;
/** Processes that are made faster than they are found are killed for this long at a time; then others have their turn. */
const CHASE_MS = 20;
const BREATH_MS = 1;
/** After the grace, until what is left is given up, milliseconds. */
const GIVE_UP_MS = 10_000;
/** The same where nothing is found but processes that may not be signalled. */
const GIVE_UP_REFUSED_MS = 500;

/**
 * Ends a run's processes: TERM, up to `graceMs` for them to obey, then KILL, until none is left: none is found, and none
 * holds the lifeline. Resolves when the tree is gone, or cannot be ended. A signal is sent only to a process that is
 * still the one that was seen.
 */
// INVARIANT: 9 no process outlives its node: this is how every one of them is ended.
export async function endTree(tree: Tree, graceMs: number, tools: TreeTools): Promise<TreeEnd> {
  const { marks, lifeline, quietMs = 0 } = tree;
  const { table, nowMs, pause } = tools;
  const progress = createProgress(table);
  const killFromMs = nowMs() + graceMs;
  const isHeld = (): boolean => lifeline?.isHeld() ?? false;
  let pauseMs = FIRST_PAUSE_MS;
  let quietSinceMs = nowMs();
  let empty = 0;
  let killed = 0;
  for (;;) {
    const lookedMs = nowMs();
    const kills = lookedMs >= killFromMs;
    // All descriptors only where somebody hides: that is many calls for each process.
    const { members, unsure } = look(marks, table, table.pids(), kills && isHeld());
    const left = members.filter((entry) => !progress.refused.has(entry.pid));
    if (left.length > 0 || unsure || isHeld()) {
      empty = 0;
      quietSinceMs = nowMs();
    } else {
      empty += 1;
      const enough = progress.seen.size === 0 && quietMs === 0 ? 1 : EMPTY_LOOKS;
      if (empty >= enough && nowMs() - quietSinceMs >= quietMs) break;
      if (quietMs > 0) await pause(quietMs / EMPTY_LOOKS / 2);
      continue;
    }
    const patienceMs = left.length === 0 && progress.refused.size > 0 ? GIVE_UP_REFUSED_MS : GIVE_UP_MS;
    if (lookedMs >= killFromMs + patienceMs) {
      return {
        found: progress.seen.size,
        refused: [...progress.refused, ...left.map(({ pid }) => pid)],
        held: isHeld(),
      };
    }
    progress.signal(kills ? left : left.filter(({ pid }) => pid !== marks.keeper), kills ? 'SIGKILL' : 'SIGTERM');
    if (kills) killed += 1;
    if (kills && (killed > 1 || isHeld())) {
      chase(marks, lifeline, CHASE_MS, tools);
      await pause(BREATH_MS);
    } else {
      await pause(pauseMs);
      pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
    }
  }
  return { found: progress.seen.size, refused: [...progress.refused], held: false };
}

/** What was found so far, and told to end. */
interface Progress {
  readonly seen: ReadonlySet<string>;
  /** Pids that may not be signalled. */
  readonly refused: ReadonlySet<number>;
  /** TERM is sent to each process once, KILL whenever it is found. */
  signal(entries: readonly ProcessEntry[], signal: 'SIGTERM' | 'SIGKILL'): void;
}

function createProgress(table: ProcessTable): Progress {
  const seen = new Set<string>();
  const refused = new Set<number>();
  return {
    seen,
    refused,
    signal(entries, signal) {
      const members = new Set(entries.map(({ pid }) => pid));
      for (const entry of entries) {
        const key = `${entry.pid}:${entry.startTicks}`;
        if (signal === 'SIGTERM' && seen.has(key)) continue;
        seen.add(key);
        if (signalProcess(entry, signal, table, members) === 'refused') refused.add(entry.pid);
      }
    },
  };
}

/**
 * KILLs, once, every process of a run that can be found; returns how many there were, at least 1 while somebody holds
 * the lifeline. For a caller that cannot wait.
 */
export function killTree({ marks, lifeline }: Tree, tools: Pick<TreeTools, 'table' | 'nowMs'>): number {
  const { table } = tools;
  const { members } = look(marks, table, table.pids(), lifeline?.isHeld());
  const pids = new Set(members.map(({ pid }) => pid));
  const killed = members.filter((entry) => signalProcess(entry, 'SIGKILL', table, pids) === 'sent').length;
  if (lifeline?.isHeld()) chase(marks, lifeline, CHASE_MS, tools);
  return Math.max(killed, lifeline?.isHeld() ? 1 : 0);
}
