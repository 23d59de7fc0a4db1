import { isWritError } from '@writ/core';
import { isTerminal } from '@writ/task-store';
import { outcomeWithoutRun } from '../outcome.ts';
import { pause } from '../pause.ts';
import type { LiveTask } from './live-task.ts';
import type { ExecutorParts } from './parts.ts';

/** How long after a failed transaction it is tried again, milliseconds. */
const STORE_AGAIN_MS = 1000;

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
  for (;;) {
    try {
      return await step();
    } catch (error) {
      parts.logger.error('a step of a task was not stored', { task: live.id, error: String(error) });
      if (!isWritError(error, 'DATABASE_ERROR')) return endBroken(parts, live);
    }
    if (parts.closing()) return undefined;
    await pause(parts.clock, STORE_AGAIN_MS, parts.stopping);
  }
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
