import { WritError } from '@writ/core';
import { taskNotFound } from './operations/task-lookup.ts';
import type { TaskScope } from './ports.ts';
import type { Caller, Operation, StreamOperation } from './types.ts';

/**
 * The one ownership check of what is asked with a token. The host token reaches every task of this node; a task token its own task and what that
 * delegated on. Throws NOT_FOUND, in the words of a task that is not there.
 */
export function checkOwnership(
  operation: Pick<Operation | StreamOperation, 'name' | 'ownedTask'>,
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
  scope: Pick<TaskScope, 'within'>,
): void {
  if (operation.ownedTask === undefined) return;
  const task = input[operation.ownedTask];
  if (typeof task !== 'string') {
    throw new WritError('INTERNAL', `operation ${operation.name} has no task in ${operation.ownedTask}`);
  }
  checkReach(caller, task, scope);
}

/** The same for a task by its id. Throws NOT_FOUND. */
export function checkReach(caller: Caller, task: string, scope: Pick<TaskScope, 'within'>): void {
  if (!reaches(caller, task, scope)) throw taskNotFound(task);
}

/** INVARIANT: 7 whether `caller` may know of `task`. */
function reaches(caller: Caller, task: string, scope: Pick<TaskScope, 'within'>): boolean {
  return caller.kind === 'host' || caller.task === task || scope.within(caller.task, task);
}
