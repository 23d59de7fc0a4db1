import {
  type CommandEnd,
  type CommandRunner,
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
import { launchOf } from './launch.ts';
import type { CommandDeskOptions } from './parts.ts';
import { hostRefusal, requireProfile } from './resolving.ts';
import type { CommandProcess, CommandReport } from './types.ts';

/** Runs gated commands, and ends those that shall not run any more. */
export interface LiveCommands extends CommandRunner {
  /** Ends it, now or as soon as its process is there; the first cause is what is stored. */
  stop(id: string, cause: ExecutionOutcome): void;
  /** Ends everything, and what is just being started. */
  stopAll(cause: ExecutionOutcome): void;
}

/** `onOutput` is told the id of a command that has written something. */
export function createLiveCommands(options: CommandDeskOptions, onOutput: (id: string) => void): LiveCommands {
  const running = new Map<string, CommandProcess>();
  const causes = new Map<string, ExecutionOutcome>();
  let ending: ExecutionOutcome | undefined;

  function stop(id: string, cause: ExecutionOutcome): void {
    if (!causes.has(id)) causes.set(id, cause);
    running.get(id)?.stop({ kind: 'cancel', cause: cause.message });
  }

  async function spawn(
    execution: Execution,
    action: HeldAction,
    deadlineMs: number | undefined,
  ): Promise<RunningCommand> {
    const { id } = execution;
    const unwanted = ending ?? causes.get(id);
    causes.delete(id);
    if (unwanted !== undefined) throw new WritError('CANCELLED', unwanted.message);
    const profile = requireProfile(options, execution.profile);
    const nowMs = options.clock.nowMs();
    const { stdin } = action.action.request;
    const process = await options.processes.start(
      {
        ...{ id, ...launchOf(action), cwd: action.action.directory.path, directory: action.action.directory },
        env: options.environmentOf(profile).values,
        ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin, 'base64') }),
        timeoutMs: Math.max(1, (deadlineMs ?? nowMs + profile.timeoutMs) - nowMs),
        maxOutputBytes: profile.maxOutputBytes,
      },
      () => onOutput(id),
    );
    running.set(id, process);
    const late = ending ?? causes.get(id);
    if (late !== undefined) stop(id, late);
    const ended = process.done.then((report): CommandEnd => {
      running.delete(id);
      const cause = causes.get(id);
      causes.delete(id);
      if (report.ending.kind === 'signal' && isEnding(options, execution))
        return { event: 'cancel', outcome: TASK_ENDED };
      return endOf(report, cause);
    });
    return { ended };
  }

  return {
    async prepare(execution) {
      return prepareCommand(options, execution, (action, deadlineMs) => spawn(execution, action, deadlineMs));
    },
    stop,
    stopAll(cause) {
      ending ??= cause;
      for (const id of running.keys()) stop(id, cause);
    },
  };
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
  spawn: (action: HeldAction, deadlineMs: number | undefined) => Promise<RunningCommand>,
): Promise<PreparedCommand> {
  const request = readRequest(execution.request);
  if (request === undefined) throw new WritError('BAD_REQUEST', 'what was asked for cannot be read any more');
  const profile = requireProfile(options, execution.profile);
  const unisolated = hostRefusal({ isolation: profile.isolation, profile: profile.name });
  if (unisolated !== undefined) throw errorOf(unisolated);
  const resolved = await resolveAction(request, options.environmentOf(profile), options.files);
  if (!resolved.resolved) throw errorOf(resolved.refusal);
  const { action } = resolved;
  return {
    digest: action.digest,
    spawn: (deadlineMs) => spawn(action, deadlineMs),
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
    case 'dismissed':
      return failed('INTERNAL', 'it was ended as an agent is');
    case 'cancel':
      return { event: 'cancel', outcome: cause ?? { code: 'CANCELLED', message: ending.cause } };
  }
}

function failed(code: string, message: string): CommandEnd {
  return { event: 'fail', outcome: { code, message } };
}
