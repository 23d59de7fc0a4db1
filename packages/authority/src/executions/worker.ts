import { type Logger, toWritError } from '@writ/core';
import type { Execution, ExecutionOutcome } from '@writ/lease-store';
import type { PolicyEngine } from '@writ/policy';
import type { Executions } from './types.ts';

/** A command that is held ready to run: what was hashed is what runs. */
export interface PreparedCommand {
  /** Digest of what is held, under what is configured at the moment of asking: the last look asks. */
  digest(): string;
  /**
   * Spawns it. Rejects only where no process was ever spawned.
   *
   * @param deadlineMs until when it may run, milliseconds since the epoch
   */
  spawn(deadlineMs: number | undefined): Promise<RunningCommand>;
  /** Lets go of what is held; called once, after the end or instead of a start. */
  release(): Promise<void>;
}

/** A command that runs. */
export interface RunningCommand {
  /** How it ended, when its process tree is gone. */
  readonly ended: Promise<CommandEnd>;
}

export interface CommandEnd {
  readonly event: 'complete' | 'fail' | 'cancel' | 'crash';
  readonly outcome: ExecutionOutcome;
}

/** Runs gated commands; the runner implements it. */
export interface CommandRunner {
  /** Resolves and holds what would run now. Rejects where it cannot be resolved. */
  prepare(execution: Execution): Promise<PreparedCommand>;
}

/** What the continuation worker works with. */
export interface WorkerParts {
  readonly executions: Pick<Executions, 'get' | 'ready' | 'start' | 'finish' | 'notSpawned' | 'refuse'>;
  readonly engine: Pick<PolicyEngine, 'whileHeld'>;
  readonly runner: CommandRunner;
  readonly logger: Logger;
  /** Called with a command that changed since it was asked for and has ended with that: it has to be asked for anew. */
  readonly onChanged: (execution: Execution) => void;
}

/** Most that one pass takes up; more wait for the next. */
const PASS = 64;

/** A command that was started. */
export interface Started {
  readonly id: string;
  /** Resolves when it has ended and that is stored; never rejects. */
  readonly ended: Promise<void>;
}

/** One pass: what was started runs on; each promise resolves when its command has ended and that is stored. */
export interface Pass {
  readonly started: readonly Started[];
  /** How many were looked at. */
  readonly seen: number;
}

/**
 * Takes up what has been approved or is covered, oldest first, one after the other.
 * INVARIANT: 6 each item is checked by itself, with its own session, right before its own start: what one start uses up
 * or closes, the next one does not have any more.
 */
export async function continueExecutions(parts: WorkerParts): Promise<Pass> {
  const ids = parts.executions.ready(PASS);
  const started: Started[] = [];
  for (const id of ids) {
    try {
      const command = await takeUp(parts, id);
      if (command !== undefined) started.push(command);
    } catch (error) {
      // One that cannot be taken up stands in nobody's way.
      parts.logger.error('a gated command could not be taken up', { execution: id, error: toWritError(error).message });
    }
  }
  return { started, seen: ids.length };
}

async function takeUp(parts: WorkerParts, id: string): Promise<Started | undefined> {
  const { executions, engine, runner } = parts;
  const execution = executions.get(id);
  if (execution === undefined) return undefined;
  const prepared = await prepare(parts, runner, execution);
  if (prepared === undefined) return undefined;
  let running: RunningCommand | undefined;
  try {
    // INVARIANT: 2 no reload is acknowledged between the last look and the process.
    running = await engine.whileHeld(() => begin(parts, id, prepared));
  } finally {
    if (running === undefined) await prepared.release();
  }
  return running && { id, ended: finish(parts, id, prepared, running) };
}

/** Undefined, and ended, where it cannot be resolved any more: its program, directory or input is gone. */
async function prepare(
  { executions }: WorkerParts,
  runner: CommandRunner,
  execution: Execution,
): Promise<PreparedCommand | undefined> {
  try {
    return await runner.prepare(execution);
  } catch (error) {
    const { code, message } = toWritError(error);
    executions.refuse(execution.id, { code, message });
    return undefined;
  }
}

async function begin(parts: WorkerParts, id: string, prepared: PreparedCommand): Promise<RunningCommand | undefined> {
  const outcome = parts.executions.start(id, prepared.digest());
  if (!outcome.started) {
    const ended = outcome.waits ? undefined : outcome.execution;
    if (ended?.outcome?.code === 'CHANGED_SINCE_APPROVAL') parts.onChanged(ended);
    return undefined;
  }
  try {
    return await prepared.spawn(outcome.deadlineMs);
  } catch (error) {
    const { code, message } = toWritError(error);
    const ended = parts.executions.notSpawned(id, { code, message });
    if (ended !== undefined && code === 'CHANGED_SINCE_APPROVAL') parts.onChanged(ended);
    return undefined;
  }
}

async function finish(
  { executions, logger }: WorkerParts,
  id: string,
  prepared: PreparedCommand,
  running: RunningCommand,
): Promise<void> {
  try {
    const { event, outcome } = await running.ended.catch((error): CommandEnd => {
      // What it did is not known, and is not done again.
      return { event: 'crash', outcome: { code: 'LOST', message: toWritError(error).message } };
    });
    executions.finish(id, event, outcome);
    await prepared.release();
  } catch (error) {
    // A row that stays `running` has an unknown outcome from the next start of the node on.
    logger.error('the end of a gated command was not stored', { execution: id, error: toWritError(error).message });
  }
}

/** Passes whenever something may have become ready, one at a time. */
export interface ContinuationWorker {
  /** Asks for a pass; many calls while one runs are one more. */
  wake(): void;
  /** Resolves when no pass runs and everything that was started has ended and is stored. */
  idle(): Promise<void>;
  /** Starts nothing more, and resolves as `idle` does. */
  close(): Promise<void>;
}

export function createContinuationWorker(parts: WorkerParts): ContinuationWorker {
  const running = new Set<Promise<void>>();
  let isWanted = false;
  let isClosed = false;
  let passing: Promise<void> | undefined;

  async function passes(): Promise<void> {
    while (isWanted && !isClosed) {
      isWanted = false;
      const { started, seen } = await continueExecutions(parts);
      for (const { ended } of started) {
        const stored = ended.then(() => {
          running.delete(stored);
        });
        running.add(stored);
      }
      // A full pass may have left some; one that starts nothing would only see the same again.
      isWanted ||= seen === PASS && started.length > 0;
    }
  }

  async function idle(): Promise<void> {
    while (passing !== undefined || running.size > 0) await Promise.all([passing, ...running]);
  }

  function wake(): void {
    isWanted = true;
    // Not begun here: whoever wakes it may be inside a pass that has not returned yet.
    passing ??= Promise.resolve().then(passes).catch(fail).finally(rest);
  }

  function fail(error: unknown): void {
    parts.logger.error('a pass over gated commands failed', { error: toWritError(error).message });
  }

  function rest(): void {
    passing = undefined;
    // It may have been woken between the end of its last look and here.
    if (isWanted && !isClosed) wake();
  }

  return {
    wake,
    idle,
    close() {
      isClosed = true;
      return idle();
    },
  };
}
