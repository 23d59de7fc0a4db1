import { createMcpHandler, isLegacyRequest, type McpRequestContext } from '@modelcontextprotocol/server';
import { namedOnly } from './connection-session.ts';
import { createHttpSessions, type HttpSessionParts } from './http-sessions.ts';
import { followAll, listenedUris } from './listen-streams.ts';
import type { McpCall } from './mcp-parts.ts';
import { faultOfBatch, faultOfRequest } from './protocol-line.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createToolServer } from './tool-server.ts';

/** Most subscription streams at once. */
const MOST_SUBSCRIPTIONS = 128;

/** MCP over Streamable HTTP: every request by itself in the current revision, sessions for older ones. */
export interface McpHttp {
  /** Throws RATE_LIMITED. */
  fetch(call: McpCall): Promise<Response>;
  /** Ends what is under way; resolves when nothing is left. */
  close(): Promise<void>;
}

/** Builds it around the one factory of servers. */
export function createMcpHttp(parts: HttpSessionParts): McpHttp {
  const calls = new WeakMap<Request, McpCall>();
  const sessions = createHttpSessions(parts);
  const current = createMcpHandler((context) => serverOf(parts, calls, context), {
    legacy: 'reject',
    maxSubscriptions: MOST_SUBSCRIPTIONS,
    onerror: (error) => parts.logger.debug('mcp over http', { message: error.message }),
  });
  // One caller stands behind all streams: the host token, whatever session a request names.
  const subscriptions = createSubscriptions(parts, { kind: 'host' }, (uri) => current.notify.resourceUpdated(uri));
  const stopTelling = parts.upstreams.onChange(() => current.notify.toolsChanged());
  return {
    async fetch(call) {
      const fault = faultOfBatch(call.body) ?? faultOfRequest(call.body);
      if (fault !== undefined) return Response.json(fault, { status: 400 });
      if (await isLegacyRequest(call.request, call.body)) return sessions.fetch(call);
      calls.set(call.request, call);
      const uris = listenedUris(call.body);
      const leave = uris && followAll(subscriptions, uris);
      if (leave !== undefined) call.signal.addEventListener('abort', leave, { once: true });
      return current.fetch(call.request, { parsedBody: call.body });
    },
    async close() {
      stopTelling();
      subscriptions.close();
      await Promise.all([sessions.close(), current.close()]);
    },
  };
}

/** INVARIANT: 7 who calls is what the credential of this very request proved. */
function serverOf(parts: HttpSessionParts, calls: WeakMap<Request, McpCall>, { requestInfo }: McpRequestContext) {
  const call = requestInfo && calls.get(requestInfo);
  if (call === undefined) throw new Error('a request that nobody was checked for');
  const { caller, toolsets } = call;
  return createToolServer(parts, { caller, toolsets, withSession: namedOnly(caller) });
}
