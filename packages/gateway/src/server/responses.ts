import { once } from 'node:events';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, errorToJson, WritError, type WritErrorJson } from '@writ/core';
import { untilAborted } from '../abortable.ts';
import type { Entrance } from '../entrance.ts';
import { linger } from '../linger.ts';
import { createTurns } from '../turns.ts';
import { HTTP_STATUS } from './statuses.ts';

/** Counts what lies there of an answer until it is taken or its connection gone; call what is returned whenever something was written. */
export function countUntaken(response: ServerResponse, entrance: Pick<Entrance, 'keep'>): () => void {
  const kept = entrance.keep(() => response.destroy());
  response.once('close', () => kept.set(0));
  return () => {
    if (!response.closed) kept.set(response.writableLength);
  };
}

/** Answers with one JSON object. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

/** Answers with an error: as the whole answer, or as the last line of a stream that has begun. */
export function sendFailure(response: ServerResponse, error: WritErrorJson, closeConnection = false): void {
  if (response.headersSent) {
    response.end(`${JSON.stringify({ error })}\n`);
    return;
  }
  // What is left of a body that was not read would be taken for the next request.
  if (closeConnection) response.setHeader('connection', 'close');
  sendJson(response, HTTP_STATUS[error.code], { error });
}

/**
 * Answers with one JSON line an item and waits whenever the reader is slower. Ends without a word once `signal` has
 * aborted; `count` is called whenever more lies there, or less. Throws what `items` throws; the status is decided by the first item or error.
 */
export async function sendItems(
  response: ServerResponse,
  items: AsyncIterable<unknown>,
  { signal, count }: { readonly signal: AbortSignal; readonly count: () => void },
): Promise<void> {
  for await (const item of untilAborted(items, signal)) {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    if (response.write(`${JSON.stringify(item)}\n`)) continue;
    count();
    await drained(response, signal);
    count();
  }
  if (signal.aborted) return;
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.end();
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    await once(response, 'drain', { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** What somebody hears who does not speak HTTP. */
export const NO_REQUEST = errorToJson(new WritError('BAD_REQUEST', 'that is no HTTP request'));

/** How the refused of one server are left: all of them together in one line. */
export interface Refusals {
  readonly clock: Clock;
  readonly turn: () => Promise<void>;
}

/** Those of one server. */
export function refusals(clock: Clock): Refusals {
  const turns = createTurns();
  return { clock, turn: () => turns.next('refused') };
}

/** Answers with an error on a connection that is not, or no longer, the HTTP server's, and ends it, also where its client does not; see `linger`. */
export function sendRawFailure(socket: Duplex, error: WritErrorJson, { clock, turn }: Refusals): void {
  const status = HTTP_STATUS[error.code];
  const body = `${JSON.stringify({ error })}\n`;
  socket.write(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  linger(socket, clock, turn);
}
