import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { type Cancel, type Random, WritError } from '@writ/core';
import type { Caller } from '../types.ts';
import { sessionOf } from './connection-session.ts';
import type { McpCall, McpParts } from './mcp-parts.ts';
import { refusal } from './rpc-refusal.ts';
import { serveSubscribeRequests } from './subscribe-requests.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createToolServer, tellOfForeignTools } from './tool-server.ts';

/** Most clients of older revisions at once. */
const MOST_SESSIONS = 64;
/** How long a client may be silent before its session is ended, milliseconds. */
const LONGEST_IDLE_MS = 1_800_000;
/** Random bytes of the name of a session. */
const ID_BYTES = 18;
/** Header that names one. */
const SESSION_ID_HEADER = 'mcp-session-id';

/** Clients of older revisions over HTTP: their state lives between requests, as on a connection. */
export interface HttpSessions {
  /** Serves one request of such a client. Throws RATE_LIMITED where all sessions are in use. */
  fetch(call: McpCall): Promise<Response>;
  /** Ends all of them. */
  close(): Promise<void>;
}

interface OpenSession {
  readonly owner: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  end(): Promise<void>;
  exchanges: number;
  stopTimer: Cancel;
}

export interface HttpSessionParts extends McpParts {
  readonly random: Random;
}

/** No session at first; the oldest that is idle makes room for a new one. */
export function createHttpSessions(parts: HttpSessionParts): HttpSessions {
  // In the order of their last use.
  const open = new Map<string, OpenSession>();
  const enter = (id: string, session: OpenSession, signal: AbortSignal): void => {
    session.exchanges += 1;
    session.stopTimer();
    open.delete(id);
    open.set(id, session);
    const leave = (): void => {
      session.exchanges -= 1;
      if (session.exchanges > 0 || open.get(id) !== session) return;
      session.stopTimer = parts.clock.setTimer(LONGEST_IDLE_MS, () => void session.end());
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  };
  return {
    async fetch(call) {
      const id = call.request.headers.get(SESSION_ID_HEADER);
      if (id === null) {
        if (!isInitialize(call.body)) return refusal(400, -32_600, 'there is no mcp-session-id: initialize first');
        // Both at once: whoever comes meanwhile finds the place taken.
        const former = makeRoom(open);
        const [response] = await Promise.all([startSession(parts, open, enter, call), former?.end()]);
        return response;
      }
      const session = open.get(id);
      // INVARIANT: 7 the name of a session proves nothing: who has not started it is told that there is none.
      if (session === undefined || session.owner !== ownerOf(call.caller)) {
        return refusal(404, -32_001, 'there is no such session: initialize again');
      }
      enter(id, session, call.signal);
      return session.transport.handleRequest(call.request, { parsedBody: call.body });
    },
    async close() {
      await Promise.all([...open.values()].map((session) => session.end()));
    },
  };
}

async function startSession(
  parts: HttpSessionParts,
  open: Map<string, OpenSession>,
  enter: (id: string, session: OpenSession, signal: AbortSignal) => void,
  { request, body, caller, toolsets, signal }: McpCall,
): Promise<Response> {
  const id = Buffer.from(parts.random.bytes(ID_BYTES)).toString('base64url');
  const withSession = sessionOf(parts.sessions, caller);
  const server = createToolServer(parts, { caller, toolsets, withSession });
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
  const session: OpenSession = {
    ...{ owner: ownerOf(caller), transport, exchanges: 0, stopTimer: () => {} },
    end: () => server.close(),
  };
  server.onerror = (error) => parts.logger.debug('mcp over http', { message: error.message });
  const subscriptions = createSubscriptions(parts, caller, (uri) => {
    void server.sendResourceUpdated({ uri }).catch(() => {});
  });
  serveSubscribeRequests(server, subscriptions);
  const stopTelling = tellOfForeignTools(server, parts, { toolsets });
  server.onclose = () => {
    stopTelling();
    session.stopTimer();
    subscriptions.close();
    if (open.get(id) === session) open.delete(id);
  };
  enter(id, session, signal);
  await server.connect(transport);
  const response = await transport.handleRequest(request, { parsedBody: body });
  // What was no proper beginning leaves nothing behind.
  if (!response.ok) await server.close();
  return response;
}

/** Takes the oldest that is idle out where there is no room; it is still to be ended. */
function makeRoom(open: Map<string, OpenSession>): OpenSession | undefined {
  if (open.size < MOST_SESSIONS) return undefined;
  for (const [id, session] of open) {
    if (session.exchanges > 0) continue;
    open.delete(id);
    return session;
  }
  throw new WritError('RATE_LIMITED', `more than ${MOST_SESSIONS} clients at once`, {
    nextSteps: ['end one of them, or use a client of the current revision, which needs no session'],
  });
}

/** Two credentials never share a session. */
function ownerOf(caller: Caller): string {
  return JSON.stringify([caller.kind, caller.session?.origin ?? '', caller.session?.id ?? '']);
}

function isInitialize(body: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.some(
    (message) =>
      typeof message === 'object' && message !== null && 'method' in message && message.method === 'initialize',
  );
}
