import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import type { Clock } from '@writ/core';
import { endGroup, killGroup } from '../process-tree/end-group.ts';
import { endTree, killTree, type TreeEnd, type TreeTools } from '../process-tree/end-tree.ts';
import { mayHaveLeftBehind } from '../process-tree/left-behind.ts';
import type { TreeMarks } from '../process-tree/members.ts';
import type { ProcessTable } from '../process-tree/process-table.ts';
import { createDrain } from './drain.ts';
import type { Ended, Exited, Failed, Started, StartOrder } from './frames.ts';
import { dropPipe, type OutputPipe, type PipePool } from './pipes.ts';

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

/** What a child is started and watched with. */
export interface ChildTools {
  readonly clock: Clock;
  readonly table: ProcessTable;
  readonly pipes: PipePool;
}

/**
 * Starts a process in a session of its own, standard input from a file or closed, with exactly this environment, never
 * through a shell. Resolves to `Failed` where nothing runs.
 */
export async function startChildRun(
  order: StartOrder,
  listener: ChildListener,
  tools: ChildTools,
): Promise<ChildRun | Failed> {
  const stdout = tools.pipes.take();
  const stderr = tools.pipes.take();
  try {
    if (stdout === undefined || stderr === undefined) throw new Error('no pipes can be made: is `mkfifo` installed?');
    const child = spawnChild(order, stdout.writeFd, stderr.writeFd);
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    closeSync(stdout.writeFd);
    closeSync(stderr.writeFd);
    return superviseChild({
      child,
      pid: child.pid,
      stdout,
      stderr,
      order,
      listener,
      tools,
    });
  } catch (error) {
    for (const pipe of [stdout, stderr]) if (pipe !== undefined) dropPipe(pipe);
    return failed(error);
  }
}

function spawnChild(order: StartOrder, stdoutFd: number, stderrFd: number): ChildProcess {
  const [program = '', ...args] = order.argv;
  // Whoever opens a named pipe would wait for its writer, and every run with it.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const stdinFd = order.stdinFile === undefined ? undefined : openSync(order.stdinFile, flags);
  try {
    return spawn(program, args, {
      cwd: order.cwd,
      // Node.js adds this variable of its own accord unless it is there.
      env: { ...order.env, NODE_V8_COVERAGE: undefined },
      stdio: [stdinFd ?? 'ignore', stdoutFd, stderrFd],
      detached: true,
      shell: false,
    });
  } finally {
    if (stdinFd !== undefined) closeSync(stdinFd);
  }
}

function failed(error: unknown): Failed {
  const errno = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
  return { errno, message: error instanceof Error ? error.message : String(error) };
}

/** A child that has started. */
interface Supervised {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
  readonly order: StartOrder;
  readonly listener: ChildListener;
  readonly tools: ChildTools;
}

function superviseChild({ child, pid, stdout, stderr, order, listener, tools }: Supervised): ChildRun {
  const { clock, table } = tools;
  const startedMs = clock.monotonicMs();
  const startTicks = table.entry(pid)?.startTicks;
  const marks: TreeMarks = {
    ...(startTicks === undefined ? {} : { leader: { pid, startTicks } }),
    nonces: [order.nonce],
    ...(order.folder === undefined ? {} : { folder: order.folder }),
    pipes: [stdout.name, stderr.name],
  };
  const drain = createDrain({ stdout: stdout.reader, stderr: stderr.reader }, listener.output, clock);
  const treeTools: TreeTools = { table, nowMs: () => clock.monotonicMs(), pause: (ms) => pause(clock, ms) };
  const end = async (graceMs: number): Promise<TreeEnd> => {
    if (startTicks !== undefined) return endTree(marks, graceMs, treeTools);
    await endGroup(pid, graceMs, treeTools.pause);
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
