import { WritError } from './errors.ts';

/** Most values in one message of a client or an agent, and in one tool of another server: libraries walk through all of them in one go. */
export const MOST_VALUES = 10_000;

/** Counts the values of JSON without reading it, in the pieces in which it comes. */
export interface ValueCounter {
  /** Takes a piece; returns how many values there were so far. Every character but ASCII may stand for another one. */
  take(text: string): number;
  /** Begins with another text. */
  reset(): void;
}

/** Lists and objects count, and what is in them. What is no JSON is counted too, in some way. */
export function createValueCounter(): ValueCounter {
  let count = 1;
  let isInString = false;
  let isEscaped = false;
  return {
    take(text) {
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        // No string holds a line end as it is: one that is left open says nothing about the next line.
        if (code === 0x0a || code === 0x0d) isInString = isEscaped = false;
        else if (isEscaped) isEscaped = false;
        else if (isInString) {
          if (code === 0x22) isInString = false;
          else if (code === 0x5c) isEscaped = true;
        } else if (code === 0x22) isInString = true;
        else if (code === 0x2c || code === 0x5b || code === 0x7b) count += 1;
      }
      return count;
    },
    reset() {
      count = 1;
      isInString = isEscaped = false;
    },
  };
}

/** How much is counted before it is looked at whether there are too many already, bytes. */
const PIECE_BYTES = 64 * 1024;

/** Whether JSON in UTF-8 holds more than `most` values. Nothing is read for that, and little of it once there are too many. */
export function holdsMoreValues(json: Uint8Array, most: number): boolean {
  const counter = createValueCounter();
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.length);
  let count = counter.take('');
  for (let at = 0; at < bytes.length && count <= most; at += PIECE_BYTES) {
    // A character for each byte: what is counted is ASCII.
    count = counter.take(bytes.subarray(at, at + PIECE_BYTES).toString('latin1'));
  }
  return count > most;
}

/** What a value takes that was read, bytes: an object with one key takes 90, and libraries copy some of them. */
const VALUE_BYTES = 128;

/** What is kept of a JSON text for as long as somebody works on it, bytes: the text itself, and each value that was read from it. */
export function jsonWeight(text: string): number {
  return text.length + createValueCounter().take(text) * VALUE_BYTES;
}

/** Parses what is counted first. Throws SyntaxError; BAD_REQUEST where there are more than `most` values. */
export function parseCounted(text: string, most = MOST_VALUES): unknown {
  if (createValueCounter().take(text) > most) throw tooManyValues(most);
  return JSON.parse(text);
}

/** The refusal of a text that holds more. */
function tooManyValues(most: number): WritError {
  return new WritError('BAD_REQUEST', `the message holds more than ${most} values`, {
    nextSteps: ['send less at once; what is long belongs into a string or a file'],
  });
}
