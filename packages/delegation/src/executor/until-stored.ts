import { pause } from '../pause.ts';
import type { LiveTask } from './live-task.ts';
import type { ExecutorParts } from './parts.ts';

/** How long after a failed transaction it is tried again, milliseconds. */
const STORE_AGAIN_MS = 1000;

/**
 * Does `step` again until the database takes it; undefined where the node closes before that. Each step is one
 * transaction or begins with one.
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
    }
    if (parts.closing()) return undefined;
    await pause(parts.clock, STORE_AGAIN_MS, parts.stopping);
  }
}
