import { WritError } from '@writ/core';

/** The answer about a task that this node kept for its time, and removed at this moment, milliseconds since the epoch. */
export function removedOn(removedAtMs: number): WritError {
  const day = new Date(removedAtMs).toISOString().slice(0, 10);
  return new WritError('NOT_FOUND', `the task is over, and was removed here on ${day}`, {
    details: { removedAtMs },
    nextSteps: [
      'nothing is started again under its key: ask under a new one',
      'how long tasks are kept: keep_tasks of [storage]',
    ],
  });
}
