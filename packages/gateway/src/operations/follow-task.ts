import type { WatchedEvent } from '@writ/delegation';
import { checkReach } from '../ownership.ts';
import type { TaskScope } from '../ports.ts';
import type { CallContext } from '../types.ts';
import { type FoundTask, findTask, type TaskEnds } from './task-lookup.ts';

/** What happens to a task from now on, until its outcome or `signal`. */
export function eventsFromNow(
  { origin, executor }: TaskEnds,
  task: string,
  found: FoundTask,
  signal: AbortSignal,
): AsyncIterable<WatchedEvent> {
  return found.asked === undefined
    ? executor.watch(task, found.executing.lastSeq, signal)
    : origin.watch(task, found.asked.cursor, signal);
}

/** What about a task changed; its output grew, or it is in another state. */
export type TaskChange = 'output' | 'state' | 'outcome';

/** Follows tasks on behalf of callers. */
export type FollowTask = (task: string, context: CallContext) => AsyncIterable<TaskChange>;

/** Follows a task as far as the caller may know of it. Throws NOT_FOUND, at once. */
export function createFollowTask(ports: TaskEnds & { readonly scope: Pick<TaskScope, 'within'> }): FollowTask {
  return (task, { caller, signal }) => {
    checkReach(caller, task, ports.scope);
    return changesOf(eventsFromNow(ports, task, findTask(ports, task, caller), signal));
  };
}

async function* changesOf(events: AsyncIterable<WatchedEvent>): AsyncGenerator<TaskChange> {
  for await (const { event } of events) {
    if (event.kind === 'outcome') yield 'outcome';
    else yield event.kind === 'output' || event.kind === 'dropped' ? 'output' : 'state';
  }
}
