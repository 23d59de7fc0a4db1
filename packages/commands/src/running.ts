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
} from '@writ/authority';
import { WritError } from '@writ/core';
import { isTerminal } from '@writ/delegation';
import type { Execution, ExecutionOutcome } from '@writ/lease-store';
import type { Profile } from '@writ/policy';
import { launchOf } from './launch.ts';
import type { CommandDeskOptions } from './parts.ts';
import { hostRefusal, requireProfile } from './resolving.ts';
import type { CommandOrder, CommandProcess, CommandReport } from './types.ts';

/** Runs gated commands, and ends those that shall not run any more. */
export interface LiveCommands extends CommandRunner {
  /** Ends it, now or as soon as its process is there; the first cause is what is stored. No effect on any other. */
  stop(id: string, cause: ExecutionOutcome): void;
  /** Ends those that were given more than their profile gives now: variables, time, room for output. */
  stopBeyond(): void;
  /** Ends everything, and what is just being started. */
  stopAll(cause: ExecutionOutcome): void;
}

/** `onOutput` is told the id of a command that has written something. */
export function createLiveCommands(options: CommandDeskOptions, onOutput: (id: string) => void): LiveCommands {
  /** Begun and not over, by id. */
  const live = new Map<string, LiveCommand>();
  let ending: ExecutionOutcome | undefined;

  function stop(id: string, cause: ExecutionOutcome): void {
    const command = live.get(id);
    if (command === undefined) return;
    command.cause ??= cause;
    command.process?.stop({ kind: 'cancel', cause: command.cause.message });
  }

  async function spawn(execution: Execution, held: Held, deadlineMs: number | undefined): Promise<RunningCommand> {
    const { id } = execution;
    if (ending !== undefined) throw new WritError('CANCELLED', ending.message);
    const profile = requireProfile(options, execution.profile);
    const order = orderOf(id, held, { profile, deadlineMs, nowMs: options.clock.nowMs() });
    const command: LiveCommand = { profile: profile.name, order };
    live.set(id, command);
    try {
      command.process = await options.processes.start(order, () => onOutput(id));
    } catch (error) {
      live.delete(id);
      throw error;
    }
    // Whatever came while its process was being started stops it now.
    const late = ending ?? command.cause;
    if (late !== undefined) stop(id, late);
    const ended = command.process.done.then((report): CommandEnd => {
      live.delete(id);
      if (report.ending.kind === 'signal' && isEnding(options, execution))
        return { event: 'cancel', outcome: TASK_ENDED };
      return endOf(report, command.cause);
    });
    return { ended };
  }

  return {
    async prepare(execution) {
      return prepareCommand(options, execution, (held, deadlineMs) => spawn(execution, held, deadlineMs));
    },
    stop,
    stopBeyond() {
      for (const [id, command] of live) if (isBeyond(options, command)) stop(id, LESS_NOW);
    },
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
  process?: CommandProcess;
  /** The first reason why this node ends it. */
  cause?: ExecutionOutcome;
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
  {
    profile,
    deadlineMs,
    nowMs,
  }: { readonly profile: Profile; readonly deadlineMs: number | undefined; readonly nowMs: number },
): CommandOrder {
  const { directory, request } = action.action;
  return {
    ...{ id, ...launchOf(action), cwd: directory.path, directory },
    env: environment.values,
    ...(request.stdin === undefined ? {} : { stdin: Buffer.from(request.stdin, 'base64') }),
    timeoutMs: Math.max(1, (deadlineMs ?? nowMs + profile.timeoutMs) - nowMs),
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
export const TASK_ENDED: ExecutionOutcome = { code: 'CANCELLED', message: 'the task that asked for it has ended' };

/** A command in the folder of a task may be ended among the task's own processes, before anybody hears of the task's end. */
function isEnding({ executor }: CommandDeskOptions, { task: id }: Execution): boolean {
  const task = id === undefined ? undefined : executor.get(id);
  return task !== undefined && (isTerminal(task.state) || task.cancelRequestedAtMs !== undefined);
}

/** Resolves it again, and holds what it read. Throws where it cannot be resolved, or may not run here any more. */
async function prepareCommand(
  options: CommandDeskOptions,
  execution: Execution,
  spawn: (held: Held, deadlineMs: number | undefined) => Promise<RunningCommand>,
): Promise<PreparedCommand> {
  const request = readRequest(execution.request);
  if (request === undefined) throw new WritError('BAD_REQUEST', 'what was asked for cannot be read any more');
  const profile = requireProfile(options, execution.profile);
  const unisolated = hostRefusal({ isolation: profile.isolation, profile: profile.name });
  if (unisolated !== undefined) throw errorOf(unisolated);
  const environment = options.environmentOf(profile);
  const resolved = await resolveAction(request, environment, options.files);
  if (!resolved.resolved) throw errorOf(resolved.refusal);
  const { action } = resolved;
  return {
    // The profile may give another environment by the time of the last look.
    digest: () => digestUnder(action, options.environmentOf(requireProfile(options, execution.profile))),
    spawn: (deadlineMs) => spawn({ action, environment }, deadlineMs),
    release: () => action.release(),
  };
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
    case 'cancel':
      return { event: 'cancel', outcome: cause ?? { code: 'CANCELLED', message: ending.cause } };
  }
}

function failed(code: string, message: string): CommandEnd {
  return { event: 'fail', outcome: { code, message } };
}
