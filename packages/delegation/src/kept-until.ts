import { WritError } from '@writ/core';

/** The answer about a task that this node kept for its time and keeps no more. */
export function keptUntil(atMs: number): WritError {
  const day = new Date(atMs).toISOString().slice(0, 10);
  return new WritError('NOT_FOUND', `the task is over, and was kept here until ${day}`, {
    details: { keptUntilMs: atMs },
    nextSteps: [
      'nothing is started again under its key: ask under a new one',
      'how long tasks are kept: keep_tasks of [storage]',
    ],
  });
}
