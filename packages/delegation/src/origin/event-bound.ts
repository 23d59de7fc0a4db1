import { protocolError } from './protocol-error.ts';

/**
 * Most events besides output that are taken of one task while this node runs. An executor of this version tells fewer: its
 * tasks ask 1000 questions at most, and it counts what it drops once a minute.
 */
export const MOST_TOLD = 20_000;

/** Counts the events of a task that leave a row and no output: a peer has no end of them. */
export interface EventBound {
  /** One that is no output. Throws INTERNAL for one too many. */
  told(): void;
  /** One of output that is not kept; false where there are rows enough that say so. An honest task may write on. */
  dropped(): boolean;
}

export function createEventBound(): EventBound {
  let [told, dropped] = [0, 0];
  return {
    told() {
      told += 1;
      if (told > MOST_TOLD) throw protocolError(`more than ${MOST_TOLD} events of one task that are no output`);
    },
    dropped() {
      dropped += 1;
      return dropped <= MOST_TOLD;
    },
  };
}
