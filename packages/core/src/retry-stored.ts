import type { Clock } from './clock.ts';
import { isWritError } from './errors.ts';
import { pause } from './pause.ts';

/** How long after a fault of this node's own storage something is stored again, milliseconds. */
export const STORE_AGAIN_MS = 1000;

/** What storing again and again works with. */
export interface RetryParts {
  readonly clock: Pick<Clock, 'setTimer'>;
  /** Aborted when nothing is tried again any more. */
  readonly stopping: AbortSignal;
  /** Told of each failure. */
  readonly failed: (error: unknown) => void;
}

/**
 * Does `step` again until the database takes it; undefined where `stopping` aborts before that. Each step is one transaction or
 * begins with one. Throws what is no DATABASE_ERROR: that would go wrong again.
 */
export async function retryStored<T>(parts: RetryParts, step: () => Promise<T> | T): Promise<T | undefined> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      parts.failed(error);
      if (!isWritError(error, 'DATABASE_ERROR')) throw error;
    }
    if (parts.stopping.aborted) return undefined;
    await pause(parts.clock, STORE_AGAIN_MS, parts.stopping);
  }
}
