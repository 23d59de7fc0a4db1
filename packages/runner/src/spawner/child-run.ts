import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { type Clock, pause, underUmask } from '@writ/core';
import { endGroup, killGroup } from '../process-tree/end-group.ts';
import { endTree, killTree, type Tree, type TreeEnd, type TreeTools } from '../process-tree/end-tree.ts';
import { mayHaveLeftBehind } from '../process-tree/left-behind.ts';
import type { Lifeline } from '../process-tree/lifeline.ts';
import type { TreeMarks } from '../process-tree/members.ts';
import type { ProcessTable } from '../process-tree/process-table.ts';
import { openDirectory } from './directory.ts';
import { createDrain } from './drain.ts';
import { followFirstProcess, KEEPER_FD, TOLD_FD } from './first-process.ts';
import type { Ended, Exited, Failed, Started, StartOrder } from './frames.ts';
import { closeWriters, dropPipes, type PipePool, type RunPipes } from './pipes.ts';
import { ENDING_FD, listenToEnding } from './told-ending.ts';

/** Where a run's news go. */
export interface ChildListener {
  started(started: Started): void;
  output(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  exited(exited: Exited): void;
  /** The process took so many bytes of input, or will not take them. */
  inputTaken(bytes: number): void;
  /** Tree gone, output drained; nothing follows. */
  ended(ended: Ended): void;
}

/** A process that runs, and everything that descends from it. */
export interface ChildRun {
  /** KILLs what can be found, once; returns how many that were, at least 1 while somebody is left. */
  kill(): number;
  /** TERM, grace, KILL; without effect on the ending of a process that has ended already. */
  stop(graceMs: number): void;
  /** That many bytes of output were dealt with. */
  credit(bytes: number): void;
  /** Bytes for its standard input. */
  input(bytes: Buffer): void;
  /** Closes its standard input. */
  inputEnd(): void;
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
  const pipes = tools.pipes.take();
  if (pipes === undefined) return failed(new Error('no pipes can be made: is `mkfifo` installed?'));
  try {
    const start = (): ChildProcess => spawnChild(order, pipes);
    const child = order.umask === undefined ? start() : underUmask(order.umask, start);
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    closeWriters(pipes);
    tell(child, order);
    return superviseChild({ child, pid: child.pid, pipes, order, listener, tools });
  } catch (error) {
    dropPipes(pipes);
    return failed(error);
  }
}

function spawnChild(order: StartOrder, { stdout, stderr, lifeline }: RunPipes): ChildProcess {
  const [program = '', ...args] = order.argv;
  // Whoever opens a named pipe would wait for its writer, and every run with it.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const stdinFd = order.stdinFile === undefined ? undefined : openSync(order.stdinFile, flags);
  const place = openDirectory(order);
  try {
    return spawn(order.program ?? program, args, {
      argv0: program,
      cwd: place.path,
      // Node.js adds this variable of its own accord unless it is there.
      env: { ...order.env, NODE_V8_COVERAGE: undefined },
      stdio: [
        ...([
          stdinFd ?? (order.inputOpen ? 'pipe' : 'ignore'),
          stdout.writeFd,
          stderr.writeFd,
          lifeline.writeFd,
        ] as const),
        order.keeper === true ? 'pipe' : 'ignore',
        order.told === undefined ? 'ignore' : 'pipe',
        order.endingTold === true ? 'pipe' : 'ignore',
      ],
      detached: true,
      shell: false,
    });
  } finally {
    if (stdinFd !== undefined) closeSync(stdinFd);
    place.close();
  }
}

function tell(child: ChildProcess, { told }: StartOrder): void {
  const to = child.stdio.at(TOLD_FD);
  if (told === undefined || !(to instanceof Writable)) return;
  // It may end without having read it.
  to.on('error', () => {});
  to.end(Buffer.from(told, 'base64'));
}

function failed(error: unknown): Failed {
  const errno = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
  return { errno, message: error instanceof Error ? error.message : String(error) };
}

/** A child that has started. */
interface Supervised {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly pipes: RunPipes;
  readonly order: StartOrder;
  readonly listener: ChildListener;
  readonly tools: ChildTools;
}

function superviseChild({ child, pid, pipes, order, listener, tools }: Supervised): ChildRun {
  const { clock, table } = tools;
  const { stdout, stderr } = pipes;
  const lifeline = lifelineOf(child, pipes, table);
  const keptSignal = endingOf(child);
  const startedMs = clock.monotonicMs();
  const startTicks = table.entry(pid)?.startTicks;
  const marks: TreeMarks = {
    ...(startTicks === undefined ? {} : { leader: { pid, startTicks } }),
    nonces: [order.nonce],
    ...(order.keeper === true ? { keeper: pid } : {}),
    ...(order.folder === undefined ? {} : { folder: order.folder }),
    pipes: [stdout.name, stderr.name, lifeline.name],
  };
  const tree: Tree = { marks, lifeline };
  const drain = createDrain({ stdout: stdout.reader, stderr: stderr.reader }, listener.output, clock);
  const treeTools: TreeTools = { table, nowMs: () => clock.monotonicMs(), pause: (ms) => pause(clock, ms) };
  const end = async (graceMs: number): Promise<TreeEnd> => {
    if (startTicks !== undefined) return endTree(tree, graceMs, treeTools);
    return endGroup(pid, graceMs, treeTools);
  };
  let stopping: Promise<TreeEnd> | undefined;
  let hasExited = false;
  child.on('exit', (exitCode, signal) => {
    hasExited = true;
    listener.exited({ exitCode, signal, stopped: stopping !== undefined });
    // Those that closed the lifeline are found by looking only.
    const mustLook = (): boolean =>
      startTicks === undefined || lifeline.isHeld() || mayHaveLeftBehind(marks, clock.monotonicMs() - startedMs, table);
    const gone = stopping ?? (mustLook() ? end(order.graceMs) : Promise.resolve(NOTHING_LEFT));
    void gone.then(async ({ refused, held }) => {
      await drain.finish();
      lifeline.close();
      // As long as somebody is left it could be waited for without end.
      const told = held ? null : await keptSignal(exitCode);
      listener.ended({ refused, held, ...(told === null ? {} : { keptSignal: told }) });
    });
  });
  listener.started({ pid, startTicks: startTicks ?? 0 });
  return {
    kill: () => (startTicks === undefined ? killGroup(pid) : killTree(tree, treeTools)),
    credit: (bytes) => drain.credit(bytes),
    ...feedOf(child, listener),
    stop(graceMs) {
      if (!hasExited) stopping ??= end(graceMs);
    },
  };
}

/** What a process does not take, because it has ended or has closed its input, counts as taken: nobody waits for it. */
function feedOf({ stdin }: ChildProcess, listener: ChildListener): Pick<ChildRun, 'input' | 'inputEnd'> {
  stdin?.on('error', () => {});
  return {
    input(bytes) {
      if (stdin?.writable) stdin.write(bytes, () => listener.inputTaken(bytes.length));
      else listener.inputTaken(bytes.length);
    },
    inputEnd: () => stdin?.end(),
  };
}

/** In a namespace of its own a run is held by what is in there, too. */
function lifelineOf(child: ChildProcess, { lifeline }: RunPipes, table: ProcessTable): Lifeline {
  const said = child.stdio[KEEPER_FD];
  if (!(said instanceof Readable)) return lifeline;
  const isThere = followFirstProcess(said, table);
  return { ...lifeline, isHeld: () => lifeline.isHeld() || isThere() };
}

/** Which signal is behind an exit status, where the process that was started only kept another one. */
function endingOf(child: ChildProcess): (exitCode: number | null) => Promise<string | null> {
  const said = child.stdio.at(ENDING_FD);
  if (!(said instanceof Readable)) return async () => null;
  return listenToEnding(said).signalOf;
}

const NOTHING_LEFT: TreeEnd = { found: 0, refused: [], held: false };
