import { protocolError } from './protocol-error.ts';

/**
 * Most events besides output that are taken of one task while this node runs. An executor of this version tells fewer: its
 * tasks ask 1000 questions at most, and it counts what it drops once a minute.
 */
export const MOST_TOLD = 20_000;

/** Counts the events of a task that are no output: each of them is kept, and a peer has no end of them. */
export interface Told {
  /** Throws INTERNAL for one too many. */
  add(): void;
}

export function createTold(): Told {
  let count = 0;
  return {
    add() {
      count += 1;
      if (count > MOST_TOLD) throw protocolError(`more than ${MOST_TOLD} events of one task that are no output`);
    },
  };
}
