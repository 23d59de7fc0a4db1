import type { StartPermit } from '@writ/authority';
import { toWritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import { isTerminal, type Task } from '@writ/task-store';
import { type DeadlineSource, type OutcomePolicy, outcomeOf, outcomeWithoutRun } from '../outcome.ts';
import type { RunReport, RunSpec } from '../types.ts';
import { grantedOf } from './intake.ts';
import { type LiveTask, stopLive } from './live-task.ts';
import { createOutputGroups, type OutputGroups } from './output-groups.ts';
import type { ExecutorParts } from './parts.ts';
import { runSpecOf } from './run-spec.ts';

/** An attempt whose row says `running`, before and while its process runs. */
interface Attempt {
  readonly spec: RunSpec;
  readonly deadlineMs: number;
  readonly deadline: DeadlineSource;
  readonly leaseId?: string;
  readonly output: OutputGroups;
}

/** Longest reason of an ending that a runner's own error may give, UTF-16 units. */
const MESSAGE_LIMIT = 2000;

/** Runs the task of a slot from its start to its end; never rejects. `next` and `outcomeOf` decide, this acts. */
export async function runAttempt(parts: ExecutorParts, live: LiveTask): Promise<void> {
  try {
    // INVARIANT: 2 under the read lock no reload is acknowledged between the decision and the spawn.
    const attempt = await parts.engine.whileHeld(() => start(parts, live));
    if (!attempt) return;
    const report = await untilGone(parts, live, attempt);
    if (report) finish(parts, live, attempt, report);
  } catch (error) {
    parts.logger.error('the end of a task was not stored', { task: live.id, error: String(error) });
  }
}

async function start(parts: ExecutorParts, live: LiveTask): Promise<Attempt | undefined> {
  const { database, authority, journal, runner } = parts;
  const attempt = database.withWriteTx((tx) => permitStart(parts, tx, live));
  if (!attempt) return undefined;
  try {
    live.run = await runner.start(attempt.spec, {
      output: (stream, bytes, offset) => attempt.output.add(stream, bytes.length, offset),
    });
    return attempt;
  } catch (error) {
    database.withWriteTx((tx) => {
      if (attempt.leaseId !== undefined) authority.returnClaim(tx, attempt.leaseId);
      endUnstarted(parts, tx, journal.require(tx, live.id), live, error);
    });
    return undefined;
  }
}

/** INVARIANT: 4 decision, claim and `running` are one transaction. */
function permitStart(parts: ExecutorParts, tx: WriteTx, live: LiveTask): Attempt | undefined {
  const { tasks, authority, journal } = parts;
  const task = tasks.get(tx, live.id);
  // While the node closes it stays queued, for the next start of the node.
  if (!task || isTerminal(task.state) || parts.closing()) return undefined;
  const { timeoutMs } = task.spec;
  const { writExpiresAtMs } = task.bounds;
  const permit = authority.permitStart(tx, live.subject, live.ask, {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(writExpiresAtMs === undefined ? {} : { writExpiresAtMs }),
  });
  if (permit.permitted) return startPermitted(parts, tx, live, task, permit);
  const refusal = { state: 'failed', code: permit.code, message: permit.decision.message } as const;
  journal.end(tx, task, outcomeWithoutRun(refusal, tx.nowMs));
  return undefined;
}

function startPermitted(
  parts: ExecutorParts,
  tx: WriteTx,
  live: LiveTask,
  task: Task,
  permit: Extract<StartPermit, { permitted: true }>,
): Attempt | undefined {
  const { journal, engine, workspaces } = parts;
  const { decision, lease, deadlineMs } = permit;
  const granted = grantedOf(decision, task.spec);
  const nonce = Buffer.from(parts.random.bytes(16)).toString('hex');
  const epoch = task.epoch + 1;
  const timeoutMs = Math.max(1, deadlineMs - tx.nowMs);
  let spec: RunSpec;
  try {
    spec = runSpecOf(task, { decision, snapshot: engine.snapshot(), nonce, epoch, timeoutMs, workspaces });
  } catch (error) {
    if (lease) parts.authority.returnClaim(tx, lease.id);
    endUnstarted(parts, tx, task, live, error);
    return undefined;
  }
  const started = journal.move(tx, task, { kind: 'start' }, { epoch, attemptNonce: nonce, deadlineMs, granted });
  if (differs(task, started)) journal.append(tx, started, [{ kind: 'granted', granted }]);
  live.permit = { closure: decision.grant?.closure ?? [], granted, ...(lease ? { lease } : {}) };
  return {
    spec,
    deadlineMs,
    deadline: sourceOf(deadlineMs, lease?.expiresAtMs, task.bounds.writExpiresAtMs),
    output: outputOf(parts, task.id, epoch),
    ...(lease ? { leaseId: lease.id } : {}),
  };
}

function outputOf({ clock, journal, logger }: ExecutorParts, task: string, epoch: number): OutputGroups {
  return createOutputGroups({
    clock,
    write: (bodies) => journal.appendOutput(task, epoch, bodies),
    onError: (error) => logger.error('output events were not stored', { task, error: String(error) }),
  });
}

/** No process was spawned: the cause that came first, else the runner's own reason. */
function endUnstarted(parts: ExecutorParts, tx: WriteTx, task: Task, live: LiveTask, error: unknown): void {
  const { code, message } = toWritError(error);
  const failure = { state: 'failed', code, message: message.slice(0, MESSAGE_LIMIT) } as const;
  parts.journal.end(tx, task, outcomeWithoutRun(live.cause ?? failure, tx.nowMs));
}

async function untilGone(parts: ExecutorParts, live: LiveTask, attempt: Attempt): Promise<RunReport | undefined> {
  const { clock } = parts;
  const { run } = live;
  if (!run) return undefined;
  const leftMs = Math.max(0, attempt.deadlineMs - clock.nowMs());
  const disarm = clock.setTimer(leftMs, () => run.stop({ kind: 'timeout' }));
  // Whatever came while the process was being prepared stops it now.
  if (live.cause) stopLive(live, live.cause);
  try {
    return await run.done;
  } finally {
    disarm();
  }
}

function finish(parts: ExecutorParts, live: LiveTask, attempt: Attempt, report: RunReport): void {
  const { onOverflow, maxOutputBytes } = attempt.spec;
  const policy: OutcomePolicy = { onOverflow, maxOutputBytes, deadline: attempt.deadline };
  const outcome = outcomeOf(report, live.cause ? { ...policy, cause: live.cause } : policy);
  const unwritten = attempt.output.finish();
  parts.database.withWriteTx((tx) => {
    const task = parts.journal.require(tx, live.id);
    if (!isTerminal(task.state)) parts.journal.end(tx, task, outcome, unwritten);
  });
}

/** Whether the decision at the start granted something else than the one at the submit. */
function differs(before: Task, after: Task): boolean {
  return JSON.stringify(before.granted) !== JSON.stringify(after.granted);
}

function sourceOf(deadlineMs: number, leaseMs: number | undefined, writMs: number | undefined): DeadlineSource {
  if (leaseMs === deadlineMs) return 'lease';
  return writMs === deadlineMs ? 'writ' : 'timeout';
}
