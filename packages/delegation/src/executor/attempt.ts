import type { StartPermit } from '@writ/authority';
import { toWritError, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import { type Granted, isTerminal, type Task, type TaskEventBody } from '@writ/task-store';
import { type DeadlineSource, type OutcomePolicy, outcomeOf, outcomeWithoutRun } from '../outcome.ts';
import { pause } from '../pause.ts';
import type { Run, RunReport, RunSpec } from '../types.ts';
import { grantedOf } from './intake.ts';
import { type LiveTask, type Permit, stopLive } from './live-task.ts';
import { createOutputGroups, type OutputGroups } from './output-groups.ts';
import type { ExecutorParts } from './parts.ts';
import { runSpecOf } from './run-spec.ts';

/** An attempt whose row says `running`, before and while its process runs. */
interface Attempt {
  readonly spec: RunSpec;
  /** Secret of the task's own token; absent where it may hand nothing on. */
  readonly token?: string;
  readonly deadlineMs: number;
  readonly deadline: DeadlineSource;
  readonly leaseId?: string;
  readonly output: OutputGroups;
}

/** Longest reason of an ending that a runner's own error may give, UTF-16 units. */
const MESSAGE_LIMIT = 2000;

/** How long after a failed transaction it is tried again, milliseconds. */
const STORE_AGAIN_MS = 1000;

type Permitted = Extract<StartPermit, { permitted: true }>;

/** What became of a start under the read lock. */
type Started =
  | { readonly kind: 'over' }
  | { readonly kind: 'running'; readonly attempt: Attempt; readonly run: Run }
  | { readonly kind: 'unstarted'; readonly attempt: Attempt; readonly error: unknown };

/** Runs the task of a slot from its start to its end; never rejects. `next` and `outcomeOf` decide, this acts. */
export async function runAttempt(parts: ExecutorParts, live: LiveTask): Promise<void> {
  // INVARIANT: 2 under the read lock no reload is acknowledged between the decision and the spawn.
  const started = await untilStored(parts, live, () => parts.engine.whileHeld(() => start(parts, live)));
  if (started?.kind === 'unstarted') {
    await untilStored(parts, live, () => giveUp(parts, live, started.attempt, started.error));
  } else if (started?.kind === 'running') {
    const { attempt } = started;
    const report = await untilGone(parts, live, attempt, started.run);
    const unwritten = attempt.output.finish();
    await untilStored(parts, live, () => finish(parts, live, attempt, report, unwritten));
  }
}

/**
 * Does `step` again until the database takes it or the node closes; each step is one transaction or begins with one.
 * INVARIANT: 9 once faults stop, every accepted task becomes terminal.
 */
async function untilStored<T>(
  parts: ExecutorParts,
  live: LiveTask,
  step: () => Promise<T> | T,
): Promise<T | undefined> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      parts.logger.error('a step of a task was not stored', { task: live.id, error: String(error) });
    }
    if (parts.closing()) return undefined;
    await pause(parts.clock, STORE_AGAIN_MS, parts.stopping);
  }
}

async function start(parts: ExecutorParts, live: LiveTask): Promise<Started> {
  const attempt = parts.database.withWriteTx((tx) => permitStart(parts, tx, live));
  if (!attempt) return { kind: 'over' };
  try {
    const run = await parts.runner.start(await withAccess(parts, attempt), {
      output: (stream, bytes, offset) => attempt.output.add(stream, bytes.length, offset),
    });
    live.run = run;
    return { kind: 'running', attempt, run };
  } catch (error) {
    return { kind: 'unstarted', attempt, error };
  }
}

/** What the runner is told, with the socket that the task's token is good for. */
async function withAccess({ doors }: ExecutorParts, { spec, token }: Attempt): Promise<RunSpec> {
  if (!doors || token === undefined) return spec;
  return { ...spec, access: { socket: await doors.open(spec.task), token } };
}

/** The runner spawned nothing: the claimed use goes back. */
function giveUp(parts: ExecutorParts, live: LiveTask, attempt: Attempt, error: unknown): void {
  parts.database.withWriteTx((tx) => {
    const task = parts.journal.require(tx, live.id);
    if (isTerminal(task.state)) return;
    if (attempt.leaseId !== undefined) parts.authority.returnClaim(tx, attempt.leaseId);
    endUnstarted(parts, tx, task, live, error);
  });
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
  permit: Permitted,
): Attempt | undefined {
  const { journal, engine, workspaces } = parts;
  const { decision, lease, deadlineMs } = permit;
  const granted = grantedOf(decision, task.spec);
  const nonce = Buffer.from(parts.random.bytes(16)).toString('hex');
  const epoch = task.epoch + 1;
  const timeoutMs = Math.max(1, deadlineMs - tx.nowMs);
  let spec: RunSpec;
  let token: string | undefined;
  try {
    spec = runSpecOf(task, { decision, snapshot: engine.snapshot(), nonce, epoch, timeoutMs, workspaces });
    // Only what may hand work on is given a way back to its node.
    if (decision.grant?.closure.includes('subdelegate')) token = parts.doors?.issue(tx, task);
  } catch (error) {
    if (lease) parts.authority.returnClaim(tx, lease.id);
    endUnstarted(parts, tx, task, live, error);
    return undefined;
  }
  const started = journal.move(tx, task, { kind: 'start' }, { epoch, attemptNonce: nonce, deadlineMs, granted });
  if (differs(task, started)) journal.append(tx, started, [{ kind: 'granted', granted }]);
  live.permit = permitOf(permit, granted);
  return {
    spec,
    deadlineMs,
    deadline: sourceOf(deadlineMs, lease?.expiresAtMs, task.bounds.writExpiresAtMs),
    output: outputOf(parts, task.id, epoch),
    ...(lease ? { leaseId: lease.id } : {}),
    ...(token === undefined ? {} : { token }),
  };
}

function permitOf({ decision, lease, deadlineMs }: Permitted, granted: Granted): Permit {
  const { grant } = decision;
  if (!grant) throw new WritError('INTERNAL', 'a decision that allows has no grant');
  return { closure: grant.closure, grant, granted, deadlineMs, ...(lease ? { lease } : {}) };
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

async function untilGone(parts: ExecutorParts, live: LiveTask, attempt: Attempt, run: Run): Promise<RunReport> {
  const { clock } = parts;
  const leftMs = Math.max(0, attempt.deadlineMs - clock.nowMs());
  const disarm = clock.setTimer(leftMs, () => run.stop({ kind: 'timeout' }));
  // Whatever came while the process was being prepared stops it now.
  if (live.cause) stopLive(live, live.cause);
  const report = await run.done;
  disarm();
  return report;
}

function finish(
  parts: ExecutorParts,
  live: LiveTask,
  attempt: Attempt,
  report: RunReport,
  unwritten: readonly TaskEventBody[],
): void {
  const { onOverflow, maxOutputBytes } = attempt.spec;
  const policy: OutcomePolicy = { onOverflow, maxOutputBytes, deadline: attempt.deadline };
  const outcome = outcomeOf(report, live.cause ? { ...policy, cause: live.cause } : policy);
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
