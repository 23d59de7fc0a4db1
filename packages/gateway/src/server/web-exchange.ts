import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Entrance } from '../entrance.ts';
import { countUntaken } from './responses.ts';

/** Headers that prove who asks: nothing behind the check needs them. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'writ-session', 'cookie']);

/** Headers about a connection (RFC 9110, 7.6.1): an answer of the web platform has none, and what it says of one would keep a connection open that is to close. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

/** A request in the form of the web platform, without its body and without what proves who asks. */
export function toWebRequest(
  { method = 'GET', url = '/', headers: sent }: IncomingMessage,
  signal: AbortSignal,
): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(sent)) {
    if (value !== undefined && !CREDENTIALS.has(name))
      headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return new Request(new URL(url, 'http://localhost'), { method, headers, signal });
}

/** Sends an answer of the web platform, at the pace of its reader; ends when `signal` aborts. */
export async function sendWebResponse(
  response: ServerResponse,
  answer: Response,
  { signal, entrance }: { readonly signal: AbortSignal; readonly entrance: Pick<Entrance, 'keep'> },
): Promise<void> {
  const count = countUntaken(response, entrance);
  response.writeHead(
    answer.status,
    Object.fromEntries([...answer.headers].filter(([name]) => !OF_CONNECTION.has(name))),
  );
  const reader = answer.body?.getReader();
  if (reader === undefined) {
    response.end();
    return;
  }
  // A stream may be told things before the first of them comes.
  response.flushHeaders();
  const leave = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (response.write(next.value)) continue;
      count();
      await once(response, 'drain', { signal }).catch(() => undefined);
      count();
    }
  } finally {
    signal.removeEventListener('abort', leave);
  }
  response.end();
}
