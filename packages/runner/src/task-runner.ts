import { WritError } from '@writ/core';
import type { TaskRunner, TaskRunnerOptions } from './types.ts';

/** A runner over a spawner child. */
export function createTaskRunner(_options: TaskRunnerOptions): TaskRunner {
  return {
    start: () => Promise.reject(new WritError('RUNNER_UNAVAILABLE', 'not wired')),
    endStray: () => Promise.resolve(0),
    readTranscript: () => Promise.resolve(new Uint8Array()),
    close: () => Promise.resolve(),
  };
}
