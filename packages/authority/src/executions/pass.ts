import { type Clock, isWritError, type Logger, retryStored, toWritError } from '@writ/core';
import type { Execution, ExecutionOutcome } from '@writ/lease-store';
import type { PolicyEngine } from '@writ/policy';
import type { Executions, StartBounds } from './types.ts';

/** A command that is held ready to run: what was hashed is what runs. */
export interface PreparedCommand {
  /** Digest of what is held, under what is configured at the moment of asking: the last look asks. */
  digest(): string;
  /** Spawns it. Rejects only where no process was ever spawned. */
  spawn(bounds: StartBounds): Promise<RunningCommand>;
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
  /** Resolves and holds what would run now; undefined: there is no room for it yet. Rejects where it cannot be resolved. */
  prepare(execution: Execution): Promise<PreparedCommand | undefined>;
}

/** What the continuation worker works with. */
export interface WorkerParts {
  readonly executions: Pick<Executions, 'get' | 'ready' | 'lanes' | 'start' | 'finish' | 'notSpawned' | 'refuse'>;
  readonly engine: Pick<PolicyEngine, 'whileHeld'>;
  readonly runner: CommandRunner;
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'setTimer'>;
  /** Aborted when nothing is tried again any more. */
  readonly stopping: AbortSignal;
  /** Called with what keeps a command that may start from being taken up, in words; undefined: nothing does any more. */
  readonly onHeldUp: (id: string, why: string | undefined) => void;
  /** Called with a command that changed since it was asked for and has ended with that: it has to be asked for anew. */
  readonly onChanged: (execution: Execution) => void;
}

/** Most that one pass takes up; more wait for the next. */
export const PASS = 64;

/** A command that was started. */
export interface Started {
  readonly id: string;
  /** Resolves when it has ended and that is stored; never rejects. */
  readonly ended: Promise<void>;
}

/** One pass: what was started runs on; each promise resolves when its command has ended and that is stored. */
export interface Pass {
  readonly started: readonly Started[];
  /** Those that no process was spawned for, and whose end could not be stored at once. */
  readonly unstored: readonly Started[];
  /** Those that a fault, or what others hold, kept from being taken up. */
  readonly failed: readonly string[];
  /** How many were looked at. */
  readonly seen: number;
}

/**
 * Takes up what has been approved or is covered, oldest first, one after the other; of one lane where it is named, and not those to skip.
 * INVARIANT: 6 each item is checked by itself, with its own session, right before its own start: what one start uses up
 * or closes, the next one does not have any more.
 */
export async function continueExecutions(
  parts: WorkerParts,
  which: { readonly lane?: string; readonly skip?: ReadonlySet<string> } = {},
): Promise<Pass> {
  const ids = parts.executions.ready(PASS, which);
  const started: Started[] = [];
  const unstored: Started[] = [];
  const failed: string[] = [];
  for (const id of ids) {
    // What was not begun waits for the next start of the node, with its yes.
    if (parts.stopping.aborted) break;
    try {
      const taken = await takeUp(parts, id);
      parts.onHeldUp(id, taken?.kind === 'waits' ? NO_ROOM : undefined);
      if (taken?.kind === 'started') started.push(taken);
      if (taken?.kind === 'unspawned') unstored.push(taken);
      if (taken?.kind === 'waits') failed.push(id);
    } catch (error) {
      // One that cannot be taken up stands in nobody's way.
      failed.push(id);
      parts.onHeldUp(id, FAULT);
      parts.logger.error('a gated command could not be taken up', { execution: id, error: toWritError(error).message });
    }
  }
  return { started, unstored, failed, seen: ids.length };
}

/** What it was names folders of this machine, and whoever asked may be another one. */
const FAULT = 'a fault of this node kept it from being taken up, and stands in its log';
const NO_ROOM = 'what other commands hold leaves no room for copies of its files now';

/** What became of a start under the read lock; undefined: nothing was started. */
type Begun =
  | { readonly kind: 'running'; readonly running: RunningCommand }
  | { readonly kind: 'unspawned'; readonly error: unknown };

type Taken = Started & { readonly kind: 'started' | 'unspawned' };

async function takeUp(parts: WorkerParts, id: string): Promise<Taken | { readonly kind: 'waits' } | undefined> {
  const { executions, engine, runner } = parts;
  const execution = executions.get(id);
  if (execution === undefined) return undefined;
  const prepared = await prepare(parts, runner, execution);
  if (prepared === undefined || prepared === 'no room') return prepared && { kind: 'waits' };
  let begun: Begun | undefined;
  try {
    if (parts.stopping.aborted) return undefined;
    // INVARIANT: 2 no reload is acknowledged between the last look and the process.
    begun = await engine.whileHeld(() => begin(parts, id, prepared));
  } finally {
    if (begun?.kind !== 'running') await release(parts, id, prepared);
  }
  if (begun?.kind === 'running') return { kind: 'started', id, ended: finish(parts, id, prepared, begun.running) };
  return begun && { kind: 'unspawned', id, ended: storeUnspawned(parts, id, begun.error) };
}

/**
 * Undefined, and ended, where it cannot be resolved any more: its program, directory or input is gone. A fault of this node is
 * thrown: a full disk or too many open files pass, and a yes outlasts them.
 */
async function prepare(
  { executions, stopping }: WorkerParts,
  runner: CommandRunner,
  execution: Execution,
): Promise<PreparedCommand | 'no room' | undefined> {
  try {
    return (await runner.prepare(execution)) ?? 'no room';
  } catch (error) {
    // Nobody has found anything out about it.
    if (stopping.aborted) return undefined;
    if (!isWritError(error) || isWritError(error, 'DATABASE_ERROR')) throw error;
    const { code, message } = error;
    executions.refuse(execution.id, { code, message });
    return undefined;
  }
}

async function begin(parts: WorkerParts, id: string, prepared: PreparedCommand): Promise<Begun | undefined> {
  const outcome = parts.executions.start(id, prepared.digest());
  if (!outcome.started) {
    const ended = outcome.waits ? undefined : outcome.execution;
    if (ended?.outcome?.code === 'CHANGED_SINCE_APPROVAL') parts.onChanged(ended);
    return undefined;
  }
  try {
    return { kind: 'running', running: await prepared.spawn(outcome) };
  } catch (error) {
    return { kind: 'unspawned', error };
  }
}

async function storeUnspawned(parts: WorkerParts, id: string, error: unknown): Promise<void> {
  const { code, message } = toWritError(error);
  const ended = await untilStored(parts, id, () => parts.executions.notSpawned(id, { code, message }));
  if (ended !== undefined && code === 'CHANGED_SINCE_APPROVAL') parts.onChanged(ended);
}

async function finish(
  parts: WorkerParts,
  id: string,
  prepared: PreparedCommand,
  running: RunningCommand,
): Promise<void> {
  const { event, outcome } = await running.ended.catch((error): CommandEnd => {
    // What it did is not known, and is not done again.
    return { event: 'crash', outcome: { code: 'LOST', message: toWritError(error).message } };
  });
  const stored = untilStored(parts, id, () => parts.executions.finish(id, event, outcome));
  await release(parts, id, prepared);
  await stored;
}

/** What is held takes room, whatever became of the command. */
async function release({ logger }: WorkerParts, id: string, prepared: PreparedCommand): Promise<void> {
  try {
    await prepared.release();
  } catch (error) {
    logger.error('what a gated command held was not let go', { execution: id, error: toWritError(error).message });
  }
}

/**
 * Stores an end, again until the database takes it: who waits for the command waits for that. A row that stays `running`, because
 * the node stops or its end cannot be stored at all, has an unknown outcome from the next start on.
 */
function untilStored<T>({ clock, stopping, logger }: WorkerParts, id: string, store: () => T): Promise<T | undefined> {
  const failed = (error: unknown): void =>
    logger.error('the end of a gated command was not stored', { execution: id, error: toWritError(error).message });
  return retryStored({ clock, stopping, failed }, store).catch(() => undefined);
}
