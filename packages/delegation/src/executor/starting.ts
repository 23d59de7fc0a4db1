import type { StartPermit } from '@writ/authority';
import { toWritError, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Profile } from '@writ/policy';
import { type Granted, isTerminal, type Task } from '@writ/task-store';
import { type DeadlineSource, outcomeWithoutRun } from '../outcome.ts';
import type { PreparedRun, Run, RunSpec } from '../types.ts';
import { artifactRefusal } from './evidence/requested-artifacts.ts';
import { grantedOf } from './intake.ts';
import { type LiveTask, type Permit, stopLive } from './live-task.ts';
import { createOutputGroups, type OutputGroups } from './output-groups.ts';
import type { ExecutorParts } from './parts.ts';
import { isStillFitting, type Preparation } from './preparing.ts';
import { runSpecOf } from './run-spec.ts';
import { permitTool } from './turns/permitting.ts';
import { useApproval } from './waiting/use-approval.ts';

/** An attempt whose row says `running`, before and while its process runs. */
export interface Attempt {
  readonly spec: RunSpec;
  /** Secret of the task's own token; absent where it may neither hand on nor ask. */
  readonly token?: string;
  readonly permit: Permit;
  readonly deadlineMs: number;
  readonly deadline: DeadlineSource;
  readonly output: OutputGroups;
  /** Paths and patterns of files to keep, of the profile and of the request. */
  readonly artifacts: readonly string[];
}

type Permitted = Extract<StartPermit, { permitted: true }>;

/** What became of a start under the read lock. */
export type Started =
  | { readonly kind: 'over' }
  /** What was prepared does not fit what is configured now. */
  | { readonly kind: 'unfit' }
  | { readonly kind: 'running'; readonly attempt: Attempt; readonly run: Run }
  | { readonly kind: 'unstarted'; readonly attempt: Attempt; readonly error: unknown };

/** Capabilities that a task uses through its own node. */
const TALKING = ['subdelegate', 'interactive'] as const;

/** Longest reason of an ending that a runner's own error may give, UTF-16 units. */
const MESSAGE_LIMIT = 2000;

/** The last look, the row and the spawn; the caller holds the engine. Throws what the database throws. */
export async function start(
  parts: ExecutorParts,
  live: LiveTask,
  preparation: Exclude<Preparation, { kind: 'failed' }>,
): Promise<Started> {
  // Nothing else runs between this look and the transaction.
  if (!isStillFitting(parts, live, preparation)) return { kind: 'unfit' };
  const attempt = permitPrepared(parts, live, preparation.kind === 'ready');
  if (attempt === 'unprepared') return { kind: 'unfit' };
  if (!attempt || preparation.kind === 'refused') return { kind: 'over' };
  return spawn(parts, live, attempt, preparation.prepared);
}

/** Where nothing was prepared for what is permitted now, nothing is claimed and nothing written. */
function permitPrepared(parts: ExecutorParts, live: LiveTask, isPrepared: boolean): Attempt | 'unprepared' | undefined {
  const unprepared = new Error('a start was permitted that nothing was prepared for');
  try {
    return parts.database.withWriteTx((tx) => {
      const attempt = permitStart(parts, tx, live, parts.tasks.get(tx, live.id));
      if (attempt && !isPrepared) throw unprepared;
      return attempt;
    });
  } catch (error) {
    if (error !== unprepared) throw error;
    return 'unprepared';
  }
}

/** Spawns an attempt whose row is committed. */
export async function spawn(
  parts: ExecutorParts,
  live: LiveTask,
  attempt: Attempt,
  prepared: PreparedRun,
): Promise<Started> {
  live.permit = attempt.permit;
  try {
    const run = await prepared.start(await withAccess(parts, attempt), {
      output: (stream, bytes, offset) => attempt.output.add(stream, bytes.length, offset),
      permit: (request, signal) => permitTool(parts, live.id, request, signal),
    });
    live.run = run;
    // Whatever came while the process was being started stops it now.
    if (live.cause) stopLive(live, live.cause);
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
export function giveUp(parts: ExecutorParts, live: LiveTask, attempt: Attempt, error: unknown): void {
  parts.database.withWriteTx((tx) => {
    const task = parts.journal.require(tx, live.id);
    if (isTerminal(task.state)) return;
    const { lease } = attempt.permit;
    if (lease) parts.authority.returnClaim(tx, lease.id);
    endUnstarted(parts, tx, task, live, error);
  });
}

/** Ends a task that nothing was claimed for; one whose preparation the node's own end broke off stays queued. */
export function endUnprepared(parts: ExecutorParts, live: LiveTask, error: unknown): void {
  if (parts.closing() && !live.cause) return;
  parts.database.withWriteTx((tx) => {
    const task = parts.journal.require(tx, live.id);
    if (!isTerminal(task.state)) endUnstarted(parts, tx, task, live, error);
  });
}

/**
 * Decides, claims and writes `running`, or how the task ends instead; undefined where nothing is to be spawned.
 * INVARIANT: 4 decision, claim and `running` are one transaction.
 */
export function permitStart(
  parts: ExecutorParts,
  tx: WriteTx,
  live: LiveTask,
  task: Task | undefined,
): Attempt | undefined {
  const { authority, journal } = parts;
  if (!task || isTerminal(task.state)) return undefined;
  if (live.cause) {
    journal.end(tx, task, outcomeWithoutRun(live.cause, tx.nowMs));
    return undefined;
  }
  // While the node closes it stays queued, for the next start of the node.
  if (parts.closing()) return undefined;
  // INVARIANT: 5 a yes, to the task or to its lease, was given to a session that lives.
  if (task.granted.approval !== undefined && parts.questions?.hasEnded(tx, task)) {
    const gone = { state: 'failed', code: 'NOT_FOUND', message: 'the session that asked for it has ended' } as const;
    journal.end(tx, task, outcomeWithoutRun(gone, tx.nowMs));
    return undefined;
  }
  const { timeoutMs } = task.spec;
  const { writExpiresAtMs } = task.bounds;
  const permit = authority.permitStart(tx, live.subject, live.ask, {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(writExpiresAtMs === undefined ? {} : { writExpiresAtMs }),
    ...(live.approved ? { useApproval: (decision) => useApproval(parts, tx, task, decision) } : {}),
  });
  if (permit.permitted) return startPermitted(parts, tx, live, task, permit);
  const refusal = { state: 'failed', code: permit.code, message: permit.message } as const;
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
  // An attempt that was lost has raised it already.
  const epoch = task.attemptNonce === undefined ? task.epoch + 1 : task.epoch;
  const timeoutMs = Math.max(1, deadlineMs - tx.nowMs);
  let spec: RunSpec;
  let token: string | undefined;
  try {
    // The configuration may be another one than when it was taken in.
    const unreadable = artifactRefusal(task.spec, decision.grant?.closure ?? []);
    if (unreadable !== undefined) throw new WritError('GRANT_EXCEEDED', unreadable);
    spec = runSpecOf(task, { decision, snapshot: engine.snapshot(), nonce, epoch, timeoutMs, workspaces });
    // Only what may hand work on, or ask, is given a way back to its node.
    if (TALKING.some((right) => decision.grant?.closure.includes(right))) token = parts.doors?.issue(tx, task);
  } catch (error) {
    if (lease) parts.authority.returnClaim(tx, lease.id);
    endUnstarted(parts, tx, task, live, error);
    return undefined;
  }
  const profile = engine.snapshot().config.profiles.get(granted.effectiveProfile);
  const { approval } = task.granted;
  const kept: Granted = {
    ...granted,
    ...(approval === undefined ? {} : { approval }),
    ...(profile?.retry === 'safe' ? { retry: 'safe' } : {}),
  };
  journal.move(tx, task, { kind: 'start' }, { epoch, attemptNonce: nonce, deadlineMs, granted: kept });
  if (differs(task, granted)) journal.append(tx, { ...task, epoch }, [{ kind: 'granted', granted }]);
  return {
    spec,
    permit: permitOf(permit, granted, spec, profile),
    ...(token === undefined ? {} : { token }),
    deadlineMs,
    deadline: deadlineMs === lease?.expiresAtMs ? 'lease' : 'timeout',
    output: outputOf(parts, task.id, epoch),
    artifacts: artifactsOf(parts, task, granted),
  };
}

function artifactsOf({ engine }: ExecutorParts, { spec }: Task, { effectiveProfile }: Granted): readonly string[] {
  const profile = engine.snapshot().config.profiles.get(effectiveProfile);
  return [...new Set([...(profile?.artifacts ?? []), ...(spec.artifacts ?? [])])];
}

function permitOf(
  { decision, lease, deadlineMs }: Permitted,
  granted: Granted,
  spec: RunSpec,
  profile: Profile | undefined,
): Permit {
  const { grant } = decision;
  const onPartition = profile?.onPartition ?? 'cancel';
  if (!grant) throw new WritError('INTERNAL', 'a decision that allows has no grant');
  return { closure: grant.closure, grant, granted, spec, deadlineMs, onPartition, ...(lease ? { lease } : {}) };
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
  const { code, message, nextSteps } = toWritError(error);
  // Whoever asked sees the outcome alone, and whoever runs the node its log.
  const todo = nextSteps.length === 0 ? '' : `; what to do: ${nextSteps.join('; ')}`;
  parts.logger.warn('a task was not started', {
    task: task.id,
    code,
    reason: message,
    nextSteps: nextSteps.join('; '),
  });
  const failure = { state: 'failed', code, message: `${message}${todo}`.slice(0, MESSAGE_LIMIT) } as const;
  parts.journal.end(tx, task, outcomeWithoutRun(live.cause ?? failure, tx.nowMs));
}

/** Whether the decision at the start granted something else than the one at the submit. */
function differs({ granted: { retry: _, approval: __, ...before } }: Task, after: Granted): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}
