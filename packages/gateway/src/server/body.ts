import type { IncomingMessage } from 'node:http';
import { formatSize, isWritError, parseCounted, WritError } from '@writ/core';
import type { Entrance } from '../entrance.ts';

/** Largest body of a call, bytes. */
const LARGEST_BODY_BYTES = 4 * 1024 * 1024;

/** What is read, and thrown away, of a body that is too large, so that its sender hears the answer; bytes. */
const LARGEST_DRAINED_BYTES = 2 * LARGEST_BODY_BYTES;

/** The JSON of the body of a call; an empty one is `{}`. Throws BAD_REQUEST where it holds too many values or is no JSON. */
export function readBody(text: string): unknown {
  try {
    return parseBody(text);
  } catch (error) {
    throw isWritError(error) ? error : new WritError('BAD_REQUEST', NO_JSON);
  }
}

/** What a body is refused with that is none. */
export const NO_JSON = 'the body is no JSON';

/** The JSON of a body; an empty one is `{}`. Throws SyntaxError; BAD_REQUEST where it holds too many values. */
export function parseBody(text: string): unknown {
  return text.trim() === '' ? {} : parseCounted(text);
}

/**
 * The text of a body, read one piece a turn, so that nobody's keeps the node from others; resolves in a turn of its own. Throws BAD_REQUEST where it is too
 * large or no UTF-8, RATE_LIMITED where it made room for others of its sender's, which ends its connection.
 */
export async function readText(request: IncomingMessage, entrance: Entrance): Promise<string> {
  const chunks: Buffer[] = [];
  const held = entrance.hold(() => request.destroy(new WritError('RATE_LIMITED', 'others needed the room')));
  let size = 0;
  try {
    for await (const chunk of request) {
      const bytes = chunk as Buffer;
      size += bytes.length;
      if (size > LARGEST_DRAINED_BYTES) throw tooLarge();
      held.set(Math.min(size, LARGEST_BODY_BYTES));
      if (size <= LARGEST_BODY_BYTES) chunks.push(bytes);
      await entrance.turn();
    }
    if (size > LARGEST_BODY_BYTES) throw tooLarge();
    // It counts until it is worked on.
    await entrance.turn();
    return decode(Buffer.concat(chunks));
  } finally {
    held.set(0);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new WritError('BAD_REQUEST', 'the body is no UTF-8');
  }
}

function tooLarge(): WritError {
  return new WritError('BAD_REQUEST', `the body is larger than ${formatSize(LARGEST_BODY_BYTES)}`);
}
