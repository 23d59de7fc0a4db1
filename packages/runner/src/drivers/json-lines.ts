import { createValueCounter, MOST_VALUES } from '@writ/core';

/** Longest line that is looked at, bytes; of a longer one only its length is told. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** What a line of a stream of JSON turned out to be. */
export type JsonLine =
  | { readonly kind: 'event'; readonly value: unknown; readonly text: string }
  /** No JSON; empty lines are not told of. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-long'; readonly bytes: number }
  /** It holds more than `MOST_VALUES` values, and nobody has read it. */
  | { readonly kind: 'too-many'; readonly text: string };

/** Cuts a byte stream into lines. Memory is bounded by the longest line that is looked at, `longest` bytes. */
export interface JsonLines {
  push(bytes: Buffer): void;
  /** The last line, that nothing ended. */
  end(): void;
}

export function createJsonLines(onLine: (line: JsonLine) => void, longest = LONGEST_LINE): JsonLines {
  let held: Buffer[] = [];
  let heldBytes = 0;
  const keep = (bytes: Buffer): void => {
    heldBytes += bytes.length;
    if (heldBytes > longest) held = [];
    // A copy: the piece is a view of a larger block that would stay as long.
    else if (bytes.length > 0) held.push(Buffer.from(bytes));
  };
  const finish = (): void => {
    const bytes = heldBytes;
    const text = Buffer.concat(held).toString('utf8').trim();
    held = [];
    heldBytes = 0;
    if (bytes > longest) onLine({ kind: 'too-long', bytes });
    else if (text !== '') onLine(read(text));
  };
  return {
    push(bytes) {
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
        keep(bytes.subarray(from, at));
        finish();
        from = at + 1;
      }
      keep(bytes.subarray(from));
    },
    end: finish,
  };
}

const NEWLINE = 0x0a;

function read(text: string): JsonLine {
  if (createValueCounter().take(text) > MOST_VALUES) return { kind: 'too-many', text };
  try {
    return { kind: 'event', value: JSON.parse(text), text };
  } catch {
    return { kind: 'text', text };
  }
}
