import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, quote, WritError, type WritErrorJson } from '@writ/core';
import { untilAborted } from '../abortable.ts';

/** How often a quiet stream says that it lives, milliseconds: less than proxies and browsers wait. */
const ALIVE_EVERY_MS = 15_000;
/** When a reader whose stream broke tries again, milliseconds. */
const RETRY_MS = 1000;

/** The input of `events` as a request for server-sent events says it. Throws BAD_REQUEST. */
export function readEventQuery(request: IncomingMessage): Record<string, unknown> {
  const query = new URL(request.url ?? '', 'http://localhost').searchParams;
  for (const key of query.keys()) {
    if (key !== 'after' && key !== 'kind') {
      throw new WritError('BAD_REQUEST', `unknown key ${quote(key)}`, { nextSteps: ['use `after` and `kind`'] });
    }
  }
  const kinds = query.getAll('kind');
  // A reader that comes back says where it was; what its address says was true when it came first.
  const place = request.headers['last-event-id'] ?? query.get('after') ?? undefined;
  return {
    ...(place === undefined ? {} : { after: numberOf(String(place)) }),
    ...(kinds.length === 0 ? {} : { kinds }),
  };
}

function numberOf(text: string): number {
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new WritError('BAD_REQUEST', `${quote(text)} is no number of an event`, {
    nextSteps: ['send the last `id` that came'],
  });
}

/** Answers with server-sent events, each with its number as id, until `signal` aborts. Waits for a slow reader. */
export async function sendEvents(
  response: ServerResponse,
  items: AsyncIterable<unknown>,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.write(`retry: ${RETRY_MS}\n\n`);
  const stop = clock.setEvery(ALIVE_EVERY_MS, () => void response.write(': alive\n\n'));
  try {
    for await (const item of untilAborted(items, signal)) {
      if (!response.write(eventText(item))) await once(response, 'drain', { signal }).catch(() => undefined);
    }
  } finally {
    stop();
  }
  response.end();
}

/** JSON has no line ends, so that nothing in an item can be taken for another field. */
function eventText(item: unknown): string {
  const { seq, kind } = item as { readonly seq: number; readonly kind: string };
  return `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify(item)}\n\n`;
}

/** The last event of a stream that cannot go on; it has no id, so that a reader comes back to where it was. */
export function endWithError(response: ServerResponse, error: WritErrorJson): void {
  response.end(`event: error\ndata: ${JSON.stringify({ error })}\n\n`);
}
