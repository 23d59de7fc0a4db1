import { shellWord, visible } from '@writ/core';
import type { Granted, Mirror, Task, TaskOutcome, TaskSpec } from '@writ/delegation';
import type { z } from 'zod';
import type { grantedField, outcomeField, taskView } from '../contract/fields.ts';
import { type FoundTask, isFinished } from '../operations/task-lookup.ts';

/** A task as every surface shows it. */
export type TaskViewData = z.input<typeof taskView>;

/** Longest line that describes the work, UTF-16 units. */
const WORK_LIMIT = 160;

/** Label of a node id, or the id itself where it has none. */
export type LabelOf = (id: string) => string;

/** A task as it is now: what was asked for where this node asked, else what it executes. */
export function viewTask(found: FoundTask, labelOf: LabelOf): TaskViewData {
  return found.asked === undefined ? viewExecuting(found.executing, labelOf) : viewAsked(found.asked);
}

/** A task that this node asked of another (or of itself). */
export function viewAsked(mirror: Mirror): TaskViewData {
  return {
    ...common(mirror),
    side: 'asked',
    peer: mirror.peerLabel,
    unreachable: mirror.unreachable,
    ...(mirror.granted ? { granted: viewGranted(mirror.granted) } : {}),
  };
}

/** A task that runs here for another node (or for this one). */
export function viewExecuting(task: Task, labelOf: LabelOf): TaskViewData {
  return {
    ...common(task),
    side: 'executing',
    peer: labelOf(task.sender),
    unreachable: false,
    granted: viewGranted(task.granted),
  };
}

function common(
  record: Pick<Mirror & Task, 'id' | 'state' | 'spec' | 'createdAtMs'> &
    Pick<Mirror, 'outcome' | 'cancelRequestedAtMs'>,
): Omit<TaskViewData, 'side' | 'peer' | 'unreachable'> {
  const { spec, outcome } = record;
  return {
    task: record.id,
    state: record.state,
    finished: isFinished(record.state),
    work: workLine(spec.input),
    created_at_ms: record.createdAtMs,
    cancel_requested: record.cancelRequestedAtMs !== undefined,
    ...(spec.profile === undefined ? {} : { profile: spec.profile }),
    ...(spec.workspace === undefined ? {} : { workspace: spec.workspace }),
    ...(outcome === undefined ? {} : { outcome: viewOutcome(outcome) }),
  };
}

/** The work of a task in one line that is safe to show. */
export function workLine(input: TaskSpec['input']): string {
  const text = input.kind === 'argv' ? input.argv.map(shellWord).join(' ') : input.prompt;
  const line = visible(text.length > WORK_LIMIT ? `${text.slice(0, WORK_LIMIT)}…` : text);
  return line.length > WORK_LIMIT * 2 ? `${line.slice(0, WORK_LIMIT * 2)}…` : line;
}

/** What the executing node granted, for the outside. */
export function viewGranted(granted: Granted): z.input<typeof grantedField> {
  return {
    requested_profile: granted.requestedProfile,
    effective_profile: granted.effectiveProfile,
    effective_runner: granted.effectiveRunner,
    isolation: granted.isolation,
    generation: granted.generation,
    message: granted.message,
    ...(granted.leaseId === undefined ? {} : { lease_id: granted.leaseId }),
  };
}

/** What a task came to, for the outside. */
export function viewOutcome(outcome: TaskOutcome): z.input<typeof outcomeField> {
  return {
    state: outcome.state,
    message: outcome.code === 'EVIDENCE_FAILED' ? `${outcome.message}; ${FOR_ITS_WORK}` : outcome.message,
    truncated: outcome.truncated,
    stdout_bytes: outcome.stdoutBytes,
    stderr_bytes: outcome.stderrBytes,
    ended_at_ms: outcome.endedAtMs,
    ...(outcome.result === undefined ? {} : { result: outcome.result }),
    ...(outcome.code === undefined ? {} : { code: outcome.code }),
    ...(outcome.startedAtMs === undefined ? {} : { started_at_ms: outcome.startedAtMs }),
    ...(outcome.ending === undefined ? {} : { ending: viewEnding(outcome.ending) }),
  };
}

/** What helps whoever asked: a list of its own would be a part of every tool that shows an outcome. */
const FOR_ITS_WORK =
  'what was collected all the same: writ task result; its clone is kept, at the node that ran it: writ workspace list';

function viewEnding(ending: NonNullable<TaskOutcome['ending']>): z.input<typeof outcomeField>['ending'] {
  switch (ending.kind) {
    case 'exit':
      return { kind: 'exit', exit_code: ending.exitCode };
    case 'signal':
      return { kind: 'signal', signal: ending.signal };
    case 'timeout':
      return { kind: 'timeout', timeout_ms: ending.timeoutMs };
    case 'output-limit':
      return { kind: 'output-limit', limit_bytes: ending.limitBytes };
    case 'cancel':
      return { kind: 'cancel', cause: ending.cause };
    case 'dismissed':
      return { kind: 'dismissed' };
  }
}
