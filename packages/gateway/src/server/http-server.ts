import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { formatAddress, type HostPort, isLoopback, parseAddress, quote, WritError } from '@writ/core';
import { tellFailure } from '../failure.ts';
import type { McpHttp } from '../mcp/mcp-http.ts';
import type { Caller } from '../types.ts';
import { createGatekeeper } from './authorization.ts';
import type { ControlServerParts } from './control-server.ts';
import { endWithError, readEventQuery, sendEvents } from './event-stream.ts';
import { createHttpGuard, type HttpGuard } from './http-guard.ts';
import { closeServer, SERVER_LIMITS } from './limits.ts';
import { MCP_HTTP_PATH, sendRpcFailure, serveMcpExchange } from './mcp-exchange.ts';
import { limitConnections } from './most-connections.ts';
import { createPipelineGuard } from './pipelining.ts';
import { NO_REQUEST, refusals, sendFailure, sendRawFailure } from './responses.ts';

/** Where the stream of events is. */
const EVENTS_PATH = '/v1/events';
/** Longest that a connection may be silent before its first request, milliseconds. */
const SILENT_MS = 5000;
/** Most connections at once, see `limitConnections`: each reader of the stream holds one. */
const MOST_CONNECTIONS = 256;

/** HTTP on a loopback address, for programs of this machine that cannot open a Unix socket. */
export interface HttpServer {
  /**
   * Listens at `host:port`, port 0 takes a free one; resolves with the address. Throws BAD_REQUEST where the host is no
   * loopback address, PORT_IN_USE.
   */
  listen(address: string): Promise<HostPort>;
  close(): Promise<void>;
}

/** What it serves. */
export interface HttpServerParts extends Omit<ControlServerParts, 'serveMcp' | 'mostConnections'> {
  readonly mcp: McpHttp;
}

/** Builds the server; nothing listens before `listen`. */
export function createHttpServer(parts: HttpServerParts): HttpServer {
  const gatekeeper = createGatekeeper(parts.authenticator, parts.clock, parts.sessions);
  const isServed = createPipelineGuard();
  const refusing = refusals(parts.clock);
  const open = new Set<AbortController>();
  let guard: HttpGuard | undefined;
  let isStopping = false;
  const admit = (request: IncomingMessage): Caller => {
    if (isStopping) throw new WritError('SHUTTING_DOWN', 'the node is stopping');
    return gatekeeper.admit(request);
  };
  const server = createServer({ ...SERVER_LIMITS, connectionsCheckingInterval: 5000 }, (request, response) => {
    const over = new AbortController();
    const leave = (): void => {
      open.delete(over);
      over.abort();
    };
    if (!isServed(request, response, leave)) return;
    open.add(over);
    response.on('error', () => over.abort());
    void serve(parts, { guard: (asked) => guard?.(asked), admit }, { request, response, signal: over.signal });
  });
  limitConnections(server, MOST_CONNECTIONS);
  // Anybody on this machine can connect: who sends nothing makes room. Once something comes, the limits of requests hold.
  server.on('connection', (socket) => socket.setTimeout(SILENT_MS, () => socket.destroy()));
  server.on('request', ({ socket }) => socket.setTimeout(0));
  server.on('clientError', (_error, socket) => {
    if (socket.writable) sendRawFailure(socket, NO_REQUEST, refusing);
  });
  return {
    async listen(address) {
      const bound = await bind(server, loopbackAddress(address));
      guard = createHttpGuard(bound);
      return bound;
    },
    async close() {
      isStopping = true;
      for (const over of open) over.abort();
      await Promise.all([parts.mcp.close(), closeServer(server, parts.clock)]);
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

interface Checks {
  readonly guard: HttpGuard;
  /** Throws what keeps the caller out. */
  readonly admit: (request: IncomingMessage) => Caller;
}

/** The order of the steps of a request. */
async function serve(parts: HttpServerParts, { guard, admit }: Checks, exchange: Exchange): Promise<void> {
  const [path] = (exchange.request.url ?? '').split('?');
  const isMcp = path === MCP_HTTP_PATH;
  let caller: Caller | undefined;
  let isGuarded = false;
  try {
    guard(exchange.request);
    isGuarded = true;
    const admitted = admit(exchange.request);
    caller = admitted;
    if (isMcp)
      await serveMcpExchange(parts.mcp, exchange, { caller: admitted, entrance: parts.enter(admitted, 'mcp') });
    else await serveEvents(parts, exchange, admitted);
  } catch (error) {
    if (exchange.signal.aborted) return;
    const failure = tellFailure(error, isMcp ? 'mcp' : 'events', caller, parts.logger);
    const { response } = exchange;
    // The protocol has a status of its own for a page that asks from somewhere else.
    if (isMcp) sendRpcFailure(response, failure, isGuarded ? {} : { status: 403 });
    else if (response.headersSent) endWithError(response, failure);
    else sendFailure(response, failure, true);
  }
}

async function serveEvents(
  { dispatcher, clock, enter }: HttpServerParts,
  { request, response, signal }: Exchange,
  caller: Caller,
): Promise<void> {
  const [path] = (request.url ?? '').split('?');
  if (path !== EVENTS_PATH) throw new WritError('NOT_FOUND', `there is nothing at ${quote(path ?? '')}`);
  if (request.method !== 'GET') throw new WritError('BAD_REQUEST', 'events are asked for with GET');
  const { turn } = enter(caller, 'events');
  await turn();
  const call = dispatcher.prepare('events', readEventQuery(request), caller);
  if (call.form !== 'stream') throw new WritError('INTERNAL', 'events are no stream');
  await sendEvents(response, call.run({ caller, signal, turn }), { signal, clock });
}

/** Without TLS a token may not leave the machine. */
function loopbackAddress(text: string): HostPort {
  const address = parseAddress(text);
  if (isLoopback(address.host)) return address;
  throw new WritError('BAD_REQUEST', `${quote(text)} is no loopback address, and this listener has no TLS`, {
    nextSteps: ['write `listen = "127.0.0.1:7421"` in `[gateway]`', 'reach it from elsewhere through ssh -L'],
  });
}

function bind(server: Server, target: HostPort): Promise<HostPort> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException): void => reject(bindError(cause, target));
    server.once('error', refuse);
    server.listen({ host: target.host, port: target.port }, () => {
      server.off('error', refuse);
      const bound = server.address();
      resolve({ host: target.host, port: typeof bound === 'object' && bound !== null ? bound.port : target.port });
    });
  });
}

/** A node that has run before takes another address only with a yes, and at its next start. */
const MOVED = 'writ up; where it waits: writ policy reload --accept, writ down && writ up';

function bindError(cause: NodeJS.ErrnoException, target: HostPort): WritError {
  const address = formatAddress(target);
  if (cause.code === 'EADDRINUSE') {
    return new WritError('PORT_IN_USE', `something listens on ${quote(address)} already`, {
      cause,
      nextSteps: ['stop the other program', `or write another port into [gateway] listen, then: ${MOVED}`],
    });
  }
  return new WritError('BAD_REQUEST', `cannot listen on ${quote(address)}: ${cause.message}`, {
    cause,
    nextSteps: ['write a loopback address in `[gateway] listen`'],
  });
}
