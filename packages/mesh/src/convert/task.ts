import type { Granted, Task, TaskOutcome, TaskState } from '@writ/delegation';
import type * as wire from '@writ/wire';
import { taskState } from './enums.ts';
import { given, readCount, readId, readName, readTime, refuseField } from './fields.ts';
import { grantedFromWire, grantedToWire, outcomeFromWire, outcomeToWire } from './outcome.ts';

/** A task as its executor shows it to the peer that sent it. */
export interface RemoteTask {
  readonly id: string;
  readonly state: TaskState;
  readonly profile?: string;
  readonly granted?: Granted;
  readonly epoch: number;
  readonly lastSeq: number;
  readonly createdAtMs: number;
  readonly outcome?: TaskOutcome;
}

/** A task for the wire: nothing of the executor's own business. */
export function taskToWire(task: Task): wire.Init<wire.Task> {
  return {
    id: task.id,
    state: taskState.toWire(task.state),
    granted: grantedToWire(task.granted),
    epoch: task.epoch,
    lastSeq: task.lastSeq,
    createdAtMs: task.createdAtMs,
    ...given('profile', task.spec.profile),
    ...(task.outcome === undefined ? {} : { outcome: outcomeToWire(task.id, task.outcome) }),
  };
}

/** A task as a peer shows it. Throws BAD_REQUEST. */
export function taskFromWire(message: wire.Task | null | undefined): RemoteTask {
  if (message === null || message === undefined) return refuseField('task', 'is missing');
  return {
    id: readId('task.id', message.id),
    state: taskState.fromWire('task.state', message.state),
    epoch: readCount('task.epoch', message.epoch),
    lastSeq: readCount('task.last_seq', message.lastSeq),
    createdAtMs: readTime('task.created_at_ms', message.createdAtMs),
    ...given('profile', readName('task.profile', message.profile)),
    ...(message.granted === null ? {} : { granted: grantedFromWire(message.granted) }),
    ...(message.outcome === null ? {} : { outcome: outcomeFromWire(message.outcome) }),
  };
}
