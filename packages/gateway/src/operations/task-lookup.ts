import { quote, WritError } from '@writ/core';
import {
  type Executor,
  type Mirror,
  type Origin,
  removedOn,
  type Task,
  type TaskState,
  TERMINAL_STATES,
} from '@writ/delegation';
import type { Caller } from '../types.ts';

/** What this node knows of a task: it asked for it, it executes it, or (asking itself) both. */
export type FoundTask =
  | { readonly asked: Mirror; readonly executing?: Task }
  | { readonly asked?: undefined; readonly executing: Task };

/** The two ends of tasks at this node. */
export interface TaskEnds {
  readonly origin: Origin;
  readonly executor: Executor;
}

/**
 * The records of a task that `caller` may see; both only where this node asked itself, never because a peer chose an id.
 * Throws NOT_FOUND.
 * INVARIANT: 7 to a task token its own task is the one that runs here, and what it handed on is what was asked for.
 */
export function findTask(ends: TaskEnds, id: string, caller: Caller): FoundTask {
  if (caller.kind === 'task') {
    return id === caller.task ? { executing: executingOf(ends, id) } : { asked: askedOf(ends, id) };
  }
  const asked = ends.origin.get(id);
  const executing = ends.executor.get(id);
  if (asked !== undefined) {
    const isOwn = asked.peer === 'self' && executing?.sender === 'self';
    return isOwn ? { asked, executing } : { asked };
  }
  if (executing === undefined) throw goneTask(ends, id);
  return { executing };
}

/** To the host token a task that was kept for its time is another thing than one that never was. */
function goneTask({ origin, executor }: TaskEnds, id: string): WritError {
  const atMs = origin.removedAtMs(id) ?? executor.removedAtMs(id);
  return atMs === undefined ? taskNotFound(id) : removedOn(atMs);
}

function executingOf({ executor }: TaskEnds, id: string): Task {
  const task = executor.get(id);
  if (task === undefined) throw taskNotFound(id);
  return task;
}

function askedOf({ origin }: TaskEnds, id: string): Mirror {
  const mirror = origin.get(id);
  if (mirror === undefined) throw taskNotFound(id);
  return mirror;
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
