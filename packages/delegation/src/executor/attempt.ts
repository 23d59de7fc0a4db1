import type { Cancel } from '@writ/core';
import { isTerminal, type TaskOutcome } from '@writ/task-store';
import { type OutcomePolicy, outcomeOf, withEvidence } from '../outcome.ts';
import type { RunFate } from '../runner-port.ts';
import type { Run, RunReport } from '../types.ts';
import { setWallAlarm } from '../wall-alarm.ts';
import { collect, type Evidence, type Finished } from './evidence/collecting.ts';
import type { LiveTask } from './live-task.ts';
import type { ExecutorParts } from './parts.ts';
import { type Preparation, prepareStart } from './preparing.ts';
import { type Attempt, endUnprepared, giveUp, type Started, start } from './starting.ts';
import type { Left } from './task-journal.ts';
import { untilStored } from './until-stored.ts';
import { watchWrit } from './writ-end.ts';

/** Runs the task of a slot from its preparation to its end; never rejects. `next` and `outcomeOf` decide, this acts. */
export async function runAttempt(parts: ExecutorParts, live: LiveTask): Promise<void> {
  const started = await prepareAndStart(parts, live);
  if (started) await runStarted(parts, live, started);
}

/** Follows what became of a start to the end of the task; never rejects. */
export async function runStarted(parts: ExecutorParts, live: LiveTask, started: Started): Promise<void> {
  if (started.kind === 'unstarted') {
    await untilStored(parts, live, () => giveUp(parts, live, started.attempt, started.error));
  } else if (started.kind === 'running') {
    const { attempt, run } = started;
    const report = await untilGone(parts, live, attempt, run);
    await endSideWork(parts, live);
    const finished = { task: live.id, workspace: live.ask.workspace !== undefined, run, report };
    const evidence = await collectWhileWanted(parts, live, { ...finished, artifacts: attempt.artifacts });
    const left = { evidence, unwritten: attempt.output.finish() };
    const stored = await untilStored(parts, live, () => finish(parts, live, attempt, report, left));
    // INVARIANT: 10 not before a result is stored that says what was changed: until then nothing else keeps it.
    run.release(fateOf(stored, evidence));
  }
}

/** `stored`: the outcome that this evidence was stored with; absent: it was stored with none. */
function fateOf(stored: Pick<TaskOutcome, 'state'> | undefined, { changes }: Evidence): RunFate {
  const isKept = stored !== undefined && changes.kind !== 'uncollected';
  return {
    state: stored?.state === 'completed' ? 'done' : 'failed',
    unbundled: isKept || changes.kind === 'none' ? 'none' : 'unknown',
  };
}

/** INVARIANT: 8 nothing that the task has started goes on when its end is stored, or its cancel answered. */
async function endSideWork({ sideWork, logger }: ExecutorParts, { id }: LiveTask): Promise<void> {
  try {
    await sideWork?.end(id);
  } catch (error) {
    logger.error('what a task has started could not be ended', { task: id, error: String(error) });
  }
}

/** Longest that evidence of a task is collected once this node ends the task, milliseconds. */
const STOPPED_COLLECT_MS = 5_000;

/** What a cancelled task has done is worth a look, and not a long wait of whoever cancelled it. */
async function collectWhileWanted(parts: ExecutorParts, live: LiveTask, finished: Finished): Promise<Evidence> {
  const enough = new AbortController();
  let disarm = (): void => {};
  const arm = (): void => {
    disarm = parts.clock.setTimer(STOPPED_COLLECT_MS, () => enough.abort());
  };
  const { signal } = live.stopped;
  if (signal.aborted) arm();
  else signal.addEventListener('abort', arm, { once: true });
  try {
    return await collect(parts, finished, enough.signal);
  } finally {
    signal.removeEventListener('abort', arm);
    disarm();
  }
}

/** Again from the beginning where the configuration changed while it was prepared. */
async function prepareAndStart(parts: ExecutorParts, live: LiveTask): Promise<Started | undefined> {
  for (;;) {
    const preparation = await untilStored(parts, live, () => prepare(parts, live));
    if (!preparation) return undefined;
    if (preparation.kind === 'failed') {
      await untilStored(parts, live, () => endUnprepared(parts, live, preparation.error));
      return undefined;
    }
    // INVARIANT: 2 under the read lock no reload is acknowledged between the decision and the spawn.
    const started = await untilStored(parts, live, () => parts.engine.whileHeld(() => start(parts, live, preparation)));
    if (preparation.kind === 'ready') preparation.prepared.discard();
    if (started?.kind !== 'unfit') return started;
  }
}

/** Undefined where there is nothing to start, or nothing starts any more. */
async function prepare(parts: ExecutorParts, live: LiveTask): Promise<Preparation | undefined> {
  const task = parts.database.withReadTx((tx) => parts.tasks.get(tx, live.id));
  return task && !isTerminal(task.state) && !parts.closing() ? prepareStart(parts, live, task) : undefined;
}

async function untilGone(parts: ExecutorParts, live: LiveTask, attempt: Attempt, run: Run): Promise<RunReport> {
  const stopSideWork = (): void => void endSideWork(parts, live);
  const { signal } = live.stopped;
  if (signal.aborted) stopSideWork();
  else signal.addEventListener('abort', stopSideWork, { once: true });
  const unlisten = (): void => signal.removeEventListener('abort', stopSideWork);
  const cancels = [...watchDeadline(parts, attempt, run), watchWrit(parts, live), unlisten];
  const report = await run.done;
  for (const cancel of cancels) cancel();
  return report;
}

/** A timeout is how long it may work; a lease ends at a time, however long the machine slept meanwhile. */
function watchDeadline(parts: ExecutorParts, { deadlineMs, deadline }: Attempt, run: Run): readonly Cancel[] {
  const { clock, database } = parts;
  const stop = (): void => run.stop({ kind: 'timeout' });
  const worked = clock.setTimer(Math.max(0, deadlineMs - clock.nowMs()), stop);
  if (deadline === 'timeout') return [worked];
  // INVARIANT: 4 what runs under a lease ends with it.
  return [worked, setWallAlarm({ clock, nowMs: () => database.nowMs(), whenMs: () => deadlineMs }, stop)];
}

/** Gives the outcome that was stored; undefined where another one had been. */
function finish(
  parts: ExecutorParts,
  live: LiveTask,
  attempt: Attempt,
  report: RunReport,
  left: Left,
): TaskOutcome | undefined {
  const { onOverflow, maxOutputBytes } = attempt.spec;
  const policy: OutcomePolicy = { onOverflow, maxOutputBytes, deadline: attempt.deadline };
  // INVARIANT: 8 a stop that came while evidence was collected is seen here, in the turn that stores the end.
  const judged = outcomeOf(report, live.cause ? { ...policy, cause: live.cause } : policy);
  const outcome = withEvidence(judged, left.evidence.failure);
  return parts.database.withWriteTx((tx) => {
    const task = parts.journal.require(tx, live.id);
    if (isTerminal(task.state)) return undefined;
    parts.journal.end(tx, task, outcome, left);
    return outcome;
  });
}
