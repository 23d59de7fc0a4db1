import { quote, WritError } from '@writ/core';
import { type Executor, type Mirror, type Origin, type Task, type TaskState, TERMINAL_STATES } from '@writ/delegation';

/** What this node knows of a task: it asked for it, it executes it, or (asking itself) both. */
export type FoundTask =
  | { readonly asked: Mirror; readonly executing?: Task }
  | { readonly asked?: undefined; readonly executing: Task };

/** The two ends of tasks at this node. */
export interface TaskEnds {
  readonly origin: Origin;
  readonly executor: Executor;
}

/** The records of a task; both only where this node asked itself, never because a peer chose an id. Throws NOT_FOUND. */
export function findTask(ends: TaskEnds, id: string): FoundTask {
  const asked = ends.origin.get(id);
  const executing = ends.executor.get(id);
  if (asked !== undefined) {
    const isOwn = asked.peer === 'self' && executing?.sender === 'self';
    return isOwn ? { asked, executing } : { asked };
  }
  if (executing === undefined) throw taskNotFound(id);
  return { executing };
}

/** The one answer for a task that is not there or is not the caller's to see. */
export function taskNotFound(id: string): WritError {
  return new WritError('NOT_FOUND', `there is no task ${quote(id)} here`, {
    nextSteps: ['see the tasks of this node with list_tasks or writ task list'],
  });
}

/** True for the five states that a task never leaves. */
export function isFinished(state: TaskState): boolean {
  return (TERMINAL_STATES as readonly TaskState[]).includes(state);
}

/** State of a task as its record on the asking side, else the executing one, has it. */
export function stateOf(found: FoundTask): TaskState {
  return (found.asked ?? found.executing).state;
}
