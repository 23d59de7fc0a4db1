import { isWritError, retryStored } from '@writ/core';
import { isTerminal } from '@writ/task-store';
import { outcomeWithoutRun } from '../outcome.ts';
import type { LiveTask } from './live-task.ts';
import type { ExecutorParts } from './parts.ts';

/**
 * Does `step` again until the database takes it; undefined where the node closes before that. Each step is one
 * transaction or begins with one. What else goes wrong would go wrong again: it ends the task, so that its slot is free.
 * INVARIANT: 9 once faults stop, every accepted task becomes terminal.
 */
export async function untilStored<T>(
  parts: ExecutorParts,
  live: LiveTask,
  step: () => Promise<T> | T,
): Promise<T | undefined> {
  const failed = (error: unknown): void =>
    parts.logger.error('a step of a task was not stored', { task: live.id, error: String(error) });
  return retryStored({ clock: parts.clock, stopping: parts.stopping, failed }, step).catch(() =>
    endBroken(parts, live),
  );
}

/** Ends a task whose step is broken, of which no process is left; a row that cannot even be ended stays as it is. */
async function endBroken(parts: ExecutorParts, live: LiveTask): Promise<undefined> {
  const message = 'this node failed to run the task; its log says why';
  const failure = { state: 'failed', code: 'INTERNAL', message } as const;
  await untilStored(parts, live, () => {
    try {
      parts.database.withWriteTx((tx) => {
        const task = parts.journal.require(tx, live.id);
        if (!isTerminal(task.state)) parts.journal.end(tx, task, outcomeWithoutRun(live.cause ?? failure, tx.nowMs));
      });
    } catch (error) {
      if (isWritError(error, 'DATABASE_ERROR')) throw error;
      parts.logger.error('a task could not be ended', { task: live.id, error: String(error) });
    }
  });
}
