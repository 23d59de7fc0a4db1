import type { Duplex } from 'node:stream';
import type { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { linger } from '../linger.ts';
import type { Caller, Toolset } from '../types.ts';
import { sessionOf } from './connection-session.ts';
import { createLineTransport } from './line-transport.ts';
import { createListenStreams, MOST_STREAMS } from './listen-streams.ts';
import type { McpParts } from './mcp-parts.ts';
import { serveSubscribeRequests } from './subscribe-requests.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createToolServer, tellOfForeignTools } from './tool-server.ts';

/** Largest JSON-RPC message that a client may send, bytes. */
const LARGEST_MESSAGE_BYTES = 4 * 1024 * 1024;
/** How much may lie there for a client that does not read it, bytes: answers to several calls for the largest artifacts. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;
/** How long a client that has ended its input waits for the next answer to what it asked before, milliseconds. */
const FINISH_MS = 5000;

/**
 * Serves MCP, of the current and of older revisions, as JSON lines on a connection. One session a connection, started
 * with its first tool call. Returns how to end it.
 */
export function serveMcp(
  parts: McpParts,
  socket: Duplex,
  caller: Caller,
  toolsets: readonly Toolset[],
): () => Promise<void> {
  const entrance = parts.enter(caller, 'mcp');
  const transport = createLineTransport(socket, {
    largestBytes: LARGEST_MESSAGE_BYTES,
    mostUnreadBytes: MOST_UNREAD_BYTES,
    finishMs: FINISH_MS,
    clock: parts.clock,
    entrance,
  });
  const withSession = sessionOf(parts.sessions, caller);
  let server: Server | undefined;
  let stopTelling = (): void => {};
  const subscriptions = createSubscriptions(parts, caller, (uri) => {
    void server?.sendResourceUpdated({ uri }).catch(() => {});
  });
  const handle = serveStdio(
    ({ era }) => {
      server = createToolServer(parts, { caller, toolsets, withSession });
      stopTelling();
      stopTelling = tellOfForeignTools(server, parts, { toolsets });
      if (era === 'legacy') serveSubscribeRequests(server, subscriptions);
      return server;
    },
    {
      transport,
      maxSubscriptions: MOST_STREAMS,
      onerror: (error) => parts.logger.debug('mcp connection', { message: error.message }),
    },
  );
  const streams = createListenStreams(subscriptions);
  const deliver = transport.onmessage;
  transport.onmessage = (message) => {
    streams.note(message);
    deliver?.(message);
  };
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    streams.noteAnswer(message);
    return send(message);
  };
  const over = transport.onclose;
  transport.onclose = () => {
    stopTelling();
    subscriptions.close();
    over?.();
    linger(socket, parts.clock, entrance.turn);
  };
  socket.on('error', (error) => parts.logger.debug('mcp connection lost', { message: error.message }));
  return () => handle.close();
}
