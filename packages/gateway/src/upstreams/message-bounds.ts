import { createValueCounter, formatSize, WritError } from '@writ/core';

/** Largest message that a server may send, bytes. */
export const LARGEST_MESSAGE_BYTES = 8 * 1024 * 1024;
/** Most values in one: a list of tools has more than what anybody asks with. */
const MOST_MESSAGE_VALUES = 30_000;

/** Measures one message after the other, in the pieces in which they come, before anybody reads them. */
export interface MessageMeter {
  /** Takes a piece, one character a byte. Throws RESULT_TOO_LARGE once there is more of the message than may be. */
  take(piece: string): void;
  /** Begins with another message. */
  reset(): void;
}

/** Nothing was taken at first. */
export function createMessageMeter(): MessageMeter {
  const counter = createValueCounter();
  let sizeBytes = 0;
  return {
    take(piece) {
      sizeBytes += piece.length;
      if (sizeBytes > LARGEST_MESSAGE_BYTES) throw tooLarge(`is larger than ${formatSize(LARGEST_MESSAGE_BYTES)}`);
      if (counter.take(piece) > MOST_MESSAGE_VALUES) throw tooLarge(`holds more than ${MOST_MESSAGE_VALUES} values`);
    },
    reset() {
      counter.reset();
      sizeBytes = 0;
    },
  };
}

/** What a server sent that is too large, said of it. */
export function tooLarge(how: string): WritError {
  return new WritError('RESULT_TOO_LARGE', `a message of it ${how}`, { nextSteps: ['ask for less at once'] });
}
