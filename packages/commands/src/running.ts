import {
  type ActionEnvironment,
  type CommandEnd,
  type CommandRunner,
  digestUnder,
  type HeldAction,
  type PreparedCommand,
  type Refusal,
  type RunningCommand,
  readRequest,
  resolveAction,
  type StartBounds,
} from '@writ/authority';
import { type Cancel, WritError } from '@writ/core';
import { isTerminal, setWallAlarm } from '@writ/delegation';
import type { Execution, ExecutionOutcome } from '@writ/lease-store';
import type { Classification, Profile } from '@writ/policy';
import { launchOf } from './launch.ts';
import type { CommandDeskOptions } from './parts.ts';
import { createHeldRoom, type HeldRoom } from './preparing.ts';
import { hostRefusal, requireProfile } from './resolving.ts';
import type { CommandOrder, CommandProcess, CommandReport } from './types.ts';

/** Runs gated commands, and ends those that shall not run any more. */
export interface LiveCommands extends CommandRunner {
  /** Ends it, now or as soon as its process is there; the first cause is what is stored. No effect on any other. */
  stop(id: string, cause: ExecutionOutcome): void;
  /** Ends those that were given more than their profile gives now: variables, time, room for output. */
  stopBeyond(): void;
  /** Ends what runs of a task and starts nothing more of it; resolves when none of its processes is left. */
  stopOf(task: string): Promise<void>;
  /** The task is over as it is stored, which keeps it from starting anything. */
  forget(task: string): void;
  /** Ends everything, and what is just being started. */
  stopAll(cause: ExecutionOutcome): void;
}

/** `onOutput` is told the id of a command that has written something. */
export function createLiveCommands(options: CommandDeskOptions, onOutput: (id: string) => void): LiveCommands {
  /** Begun and not over, by id. */
  const live = new Map<string, LiveCommand>();
  const room = createHeldRoom(options.files);
  /** Tasks that end: of these nothing starts, whatever their rows still say. */
  const endingTasks = new Set<string>();
  let ending: ExecutionOutcome | undefined;

  function stop(id: string, cause: ExecutionOutcome): void {
    const command = live.get(id);
    if (command === undefined) return;
    command.cause ??= cause;
    command.process?.stop({ kind: 'cancel', cause: command.cause.message });
  }

  async function spawn(execution: Execution, held: Held, bounds: StartBounds): Promise<RunningCommand> {
    const { id, task } = execution;
    const unwanted = ending ?? (endingTasks.has(task ?? '') ? TASK_ENDED : undefined);
    if (unwanted !== undefined) throw new WritError('CANCELLED', unwanted.message);
    const profile = requireProfile(options, execution.profile);
    const order = orderOf(id, held, { profile, bounds, nowMs: options.clock.nowMs() });
    const command = createLiveCommand(profile.name, order, task);
    live.set(id, command);
    const isOver = (): void => {
      live.delete(id);
      command.end();
    };
    try {
      command.process = await options.processes.start(order, () => onOutput(id));
    } catch (error) {
      isOver();
      throw error;
    }
    // Whatever came while its process was being started stops it now.
    const late = ending ?? command.cause;
    if (late !== undefined) stop(id, late);
    const disarm = setEndAlarm(options, bounds, (cause) => stop(id, cause));
    const ended = command.process.done.then((report): CommandEnd => {
      disarm();
      isOver();
      if (report.ending.kind === 'signal' && isEnding(options, execution))
        return { event: 'cancel', outcome: TASK_ENDED };
      return endOf(report, command.cause);
    });
    return { ended };
  }

  return {
    async prepare(execution) {
      return prepareCommand({ ...options, room }, execution, (held, bounds) => spawn(execution, held, bounds));
    },
    stop,
    stopBeyond() {
      for (const [id, command] of live) if (isBeyond(options, command)) stop(id, LESS_NOW);
    },
    async stopOf(task) {
      endingTasks.add(task);
      const ofTask = [...live].filter(([, command]) => command.task === task);
      for (const [id] of ofTask) stop(id, TASK_ENDED);
      await Promise.all(ofTask.map(([, { over }]) => over));
    },
    forget: (task) => void endingTasks.delete(task),
    stopAll(cause) {
      ending ??= cause;
      for (const id of live.keys()) stop(id, cause);
    },
  };
}

/** A command that this process starts or runs: the part that is in no row. */
interface LiveCommand {
  readonly profile: string;
  readonly order: CommandOrder;
  readonly task?: string;
  /** Resolves when none of its processes is left, or none was started. */
  readonly over: Promise<void>;
  readonly end: () => void;
  process?: CommandProcess;
  /** The first reason why this node ends it. */
  cause?: ExecutionOutcome;
}

function createLiveCommand(profile: string, order: CommandOrder, task: string | undefined): LiveCommand {
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { profile, order, over, end, ...(task === undefined ? {} : { task }) };
}

/** INVARIANT: 4 a lease and a writ end at a time, however long the machine slept meanwhile. */
function setEndAlarm(
  { clock, database }: CommandDeskOptions,
  { ends }: StartBounds,
  stop: (cause: ExecutionOutcome) => void,
): Cancel {
  if (ends === undefined) return () => undefined;
  const what = ends.code === 'LEASE_EXPIRED' ? 'the lease' : 'the writ';
  const cause = { code: ends.code, message: `${what} that it was started with has ended` };
  return setWallAlarm({ clock, nowMs: () => database.nowMs(), whenMs: () => ends.atMs }, () => stop(cause));
}

/** What is held to run, with the environment that is part of its digest. */
interface Held {
  readonly action: HeldAction;
  readonly environment: ActionEnvironment;
}

/** INVARIANT: 5 what was read for the digest is what is handed over, the environment too. */
function orderOf(
  id: string,
  { action, environment }: Held,
  { profile, bounds, nowMs }: { readonly profile: Profile; readonly bounds: StartBounds; readonly nowMs: number },
): CommandOrder {
  const { directory, request } = action.action;
  const { deadlineMs, ends } = bounds;
  // What ends at a time has an alarm of its own.
  const isTimed = deadlineMs !== undefined && deadlineMs !== ends?.atMs;
  return {
    ...{ id, ...launchOf(action), cwd: directory.path, directory },
    env: environment.values,
    ...(request.stdin === undefined ? {} : { stdin: Buffer.from(request.stdin, 'base64') }),
    timeoutMs: isTimed ? Math.max(1, deadlineMs - nowMs) : profile.timeoutMs,
    maxOutputBytes: profile.maxOutputBytes,
  };
}

const LESS_NOW: ExecutionOutcome = {
  code: 'PROFILE_NOT_ALLOWED',
  message: 'its profile gives less now than it was started with',
};

/** INVARIANT: 2 what runs lies within what its profile gives now, in what no decision says too. */
function isBeyond(options: CommandDeskOptions, { profile: name, order }: LiveCommand): boolean {
  const profile = options.engine.snapshot().config.profiles.get(name);
  if (profile === undefined) return true;
  const { values } = options.environmentOf(profile);
  const isGiven = Object.entries(order.env).every(([variable, value]) => values[variable] === value);
  return !isGiven || order.timeoutMs > profile.timeoutMs || order.maxOutputBytes > profile.maxOutputBytes;
}

/** What a task asked for ends with it. */
const TASK_ENDED: ExecutionOutcome = { code: 'CANCELLED', message: 'the task that asked for it has ended' };

/** A command in the folder of a task may be ended among the task's own processes, before anybody hears of the task's end. */
function isEnding({ executor }: CommandDeskOptions, { task: id }: Execution): boolean {
  const task = id === undefined ? undefined : executor.get(id);
  return task !== undefined && (isTerminal(task.state) || task.cancelRequestedAtMs !== undefined);
}

/**
 * Resolves it again, and holds what it read; undefined where others hold so much that there is no room for it. Throws where it
 * cannot be resolved, or may not run here any more.
 */
async function prepareCommand(
  options: CommandDeskOptions & { readonly room: HeldRoom },
  execution: Execution,
  spawn: (held: Held, bounds: StartBounds) => Promise<RunningCommand>,
): Promise<PreparedCommand | undefined> {
  const request = readRequest(execution.request);
  if (request === undefined) throw new WritError('BAD_REQUEST', 'what was asked for cannot be read any more');
  const profile = requireProfile(options, execution.profile);
  const unisolated = hostRefusal({ isolation: profile.isolation, profile: profile.name });
  if (unisolated !== undefined) throw errorOf(unisolated);
  const environment = options.environmentOf(profile);
  // The last look is inside of a transaction, where nobody can be waited for: it is answered by this one.
  const looked = await options.classify(request.argv, request.cwd, execution);
  if (!looked.decided && !isSame(looked.classification, execution)) {
    // It passes, and a yes outlasts it.
    throw new Error(`what the command does cannot be told at the moment: ${looked.classification.reason}`);
  }
  const files = options.room.filesOf(execution);
  const resolved = await resolveAction(request, environment, files);
  if (files.lacksRoom()) return undefined;
  if (!resolved.resolved) throw errorOf(resolved.refusal);
  const { action } = resolved;
  return {
    // The profile may give another environment by the time of the last look.
    digest: () => digestUnder(action, options.environmentOf(requireProfile(options, execution.profile))),
    spawn: (bounds) => spawn({ action, environment }, bounds),
    release: () => action.release(),
  };
}

function isSame(is: Pick<Classification, 'class' | 'known'>, was: Pick<Execution, 'class' | 'known'>): boolean {
  return is.class === was.class && is.known === was.known;
}

function errorOf({ code, message, nextSteps }: Refusal): WritError {
  return new WritError(code, message, { nextSteps });
}

/** How an ending is stored. The first cause wins: a stop counts only where it ended the process. */
function endOf({ ending, truncated }: CommandReport, cause: ExecutionOutcome | undefined): CommandEnd {
  const tail = truncated ? '; not all of its output was kept' : '';
  switch (ending.kind) {
    case 'exit': {
      const { exitCode } = ending;
      const message = `exit code ${exitCode}${tail}`;
      if (exitCode === 0) return { event: 'complete', outcome: { code: 'OK', message, exitCode } };
      return { event: 'fail', outcome: { code: 'WORKER_FAILED', message, exitCode } };
    }
    case 'signal':
      return failed('WORKER_FAILED', `ended by ${ending.signal}${tail}`);
    case 'timeout':
      return failed('TIMED_OUT', `it ran out of time${tail}`);
    case 'output-limit':
      return failed('RESULT_TOO_LARGE', 'it wrote too much');
    case 'dismissed':
      return failed('INTERNAL', 'it was ended as an agent is');
    case 'cancel':
      return { event: 'cancel', outcome: cause ?? { code: 'CANCELLED', message: ending.cause } };
  }
}

function failed(code: string, message: string): CommandEnd {
  return { event: 'fail', outcome: { code, message } };
}
