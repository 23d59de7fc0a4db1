import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Clock } from '@writ/core';
import { endGroup, killGroup } from '../process-tree/end-group.ts';
import { endTree, killTree, type TreeEnd, type TreeTools } from '../process-tree/end-tree.ts';
import { mayHaveLeftBehind } from '../process-tree/left-behind.ts';
import type { TreeMarks } from '../process-tree/members.ts';
import type { ProcessTable } from '../process-tree/process-table.ts';
import { createDrain } from './drain.ts';
import type { Ended, Exited, Failed, Started, StartOrder } from './frames.ts';

/** Where a run's news go. */
export interface ChildListener {
  started(started: Started): void;
  output(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  exited(exited: Exited): void;
  /** Tree gone, output drained; nothing follows. */
  ended(ended: Ended): void;
}

/** A process that runs, and everything that descends from it. */
export interface ChildRun {
  /** KILLs what can be found, once; returns how many that were. */
  kill(): number;
  /** TERM, grace, KILL; without effect on the ending of a process that has ended already. */
  stop(graceMs: number): void;
  /** That many bytes of output were dealt with. */
  credit(bytes: number): void;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Starts a process in a session of its own, standard input closed, with exactly this environment, never through a
 * shell. Resolves to `Failed` where nothing runs.
 */
export async function startChildRun(
  order: StartOrder,
  listener: ChildListener,
  clock: Clock,
  table: ProcessTable,
): Promise<ChildRun | Failed> {
  try {
    const child = spawnChild(order);
    if (child.pid !== undefined) return superviseChild(child, child.pid, order, listener, clock, table);
    const [error] = await once(child, 'error');
    return failed(error);
  } catch (error) {
    return failed(error);
  }
}

function spawnChild(order: StartOrder): Child {
  const [program = '', ...args] = order.argv;
  return spawn(program, args, {
    cwd: order.cwd,
    // Node.js adds this variable of its own accord unless it is there.
    env: { ...order.env, NODE_V8_COVERAGE: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    shell: false,
  });
}

function failed(error: unknown): Failed {
  const errno = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
  return { errno, message: error instanceof Error ? error.message : String(error) };
}

function superviseChild(
  child: Child,
  pid: number,
  order: StartOrder,
  listener: ChildListener,
  clock: Clock,
  table: ProcessTable,
): ChildRun {
  const startedMs = clock.monotonicMs();
  const startTicks = table.entry(pid)?.startTicks;
  const marks: TreeMarks = {
    ...(startTicks === undefined ? {} : { leader: { pid, startTicks } }),
    nonces: [order.nonce],
    folder: order.folder,
  };
  const drain = createDrain(child, listener.output, clock);
  const tools: TreeTools = { table, nowMs: () => clock.monotonicMs(), pause: (ms) => pause(clock, ms) };
  const end = async (graceMs: number): Promise<TreeEnd> => {
    if (startTicks !== undefined) return endTree(marks, graceMs, tools);
    await endGroup(pid, graceMs, tools.pause);
    return { found: 1, refused: [] };
  };
  let stopping: Promise<TreeEnd> | undefined;
  let hasExited = false;
  child.on('exit', (exitCode, signal) => {
    hasExited = true;
    listener.exited({ exitCode, signal, stopped: stopping !== undefined });
    const mustLook = startTicks === undefined || mayHaveLeftBehind(marks, clock.monotonicMs() - startedMs, table);
    const none: TreeEnd = { found: 0, refused: [] };
    const gone = stopping ?? (mustLook ? end(order.graceMs) : Promise.resolve(none));
    void gone.then(async ({ refused }) => {
      await drain.finish();
      listener.ended({ refused });
    });
  });
  listener.started({ pid, startTicks: startTicks ?? 0 });
  return {
    kill: () => (startTicks === undefined ? killGroup(pid) : killTree(marks, table)),
    credit: (bytes) => drain.credit(bytes),
    stop(graceMs) {
      if (!hasExited) stopping ??= end(graceMs);
    },
  };
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(ms, resolve);
  });
}
