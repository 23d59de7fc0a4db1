import { WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import { isTerminal, type Task } from '@writ/task-store';
import type { ExecutorParts } from '../parts.ts';

/**
 * The task, where it runs and its session lives, read again in the transaction of what is asked or answered. Throws
 * NOT_FOUND.
 * INVARIANT: 5 a vanished session or task is an error, never a success: no row, no event, no new turn.
 */
export function requireLive({ tasks, live, turns }: ExecutorParts, tx: WriteTx, id: string): Task {
  const task = tasks.get(tx, id);
  const entry = live.get(id);
  const runs = task !== undefined && !isTerminal(task.state) && entry?.permit !== undefined;
  if (!runs || entry.cause !== undefined || task.cancelRequestedAtMs !== undefined) {
    throw gone('the task does not run here any more: nothing is asked of anybody');
  }
  if (!turns.isSessionLive(tx, task)) throw gone('the session of the task has ended');
  return task;
}

/** What asked, or what was asked, is not there. */
export function gone(message: string): WritError {
  return new WritError('NOT_FOUND', message, {
    nextSteps: ['nothing was changed; see how the task stands: writ task list'],
  });
}
