import { toWritError } from './errors.ts';
import type { Logger } from './logger.ts';

/** Who wants to hear of something. */
export interface Listeners<T> {
  /** Returns how to stop. */
  add(listener: (what: T) => void): () => void;
  /** Calls each; what one throws is logged and keeps no other from being called. */
  tell(what: T): void;
}

/** `topic` names in the log what was told. */
export function createListeners<T>(logger: Logger, topic: string): Listeners<T> {
  const listeners = new Set<(what: T) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell(what) {
      for (const listener of [...listeners]) {
        try {
          listener(what);
        } catch (error) {
          logger.error(`a listener of ${topic} failed`, { error: toWritError(error).message });
        }
      }
    },
  };
}
