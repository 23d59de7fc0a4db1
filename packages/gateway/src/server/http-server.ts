import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorToJson, formatAddress, type HostPort, isLoopback, parseAddress, quote, WritError } from '@writ/core';
import { tellFailure } from '../failure.ts';
import type { Caller } from '../types.ts';
import { createGatekeeper } from './authorization.ts';
import type { ControlServerParts } from './control-server.ts';
import { endWithError, readEventQuery, sendEvents } from './event-stream.ts';
import { createHttpGuard, type HttpGuard } from './http-guard.ts';
import { closeServer, SERVER_LIMITS } from './limits.ts';
import { sendFailure, sendRawFailure } from './responses.ts';

/** The one address there is so far. */
const EVENTS_PATH = '/v1/events';
/** Most connections at once: each reader of the stream holds one. */
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

/** Builds the server; nothing listens before `listen`. */
export function createHttpServer(parts: Omit<ControlServerParts, 'serveMcp'>): HttpServer {
  const gatekeeper = createGatekeeper(parts.authenticator, parts.clock);
  const open = new Set<AbortController>();
  let guard: HttpGuard | undefined;
  let isStopping = false;
  const admit = (request: IncomingMessage): Caller => {
    guard?.(request);
    if (isStopping) throw new WritError('SHUTTING_DOWN', 'the node is stopping');
    return gatekeeper.admit(request);
  };
  const server = createServer({ ...SERVER_LIMITS, connectionsCheckingInterval: 5000 }, (request, response) => {
    const over = new AbortController();
    open.add(over);
    response.once('close', () => {
      open.delete(over);
      over.abort();
    });
    response.on('error', () => over.abort());
    void serve(parts, admit, { request, response, signal: over.signal });
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on('clientError', (_error, socket) => {
    if (socket.writable) sendRawFailure(socket, errorToJson(new WritError('BAD_REQUEST', 'that is no HTTP request')));
  });
  return {
    async listen(address) {
      const bound = await bind(server, loopbackAddress(address));
      guard = createHttpGuard(bound);
      return bound;
    },
    close() {
      isStopping = true;
      for (const over of open) over.abort();
      return closeServer(server, parts.clock);
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

/** The order of the steps of a request. */
async function serve(
  { dispatcher, clock, logger }: Omit<ControlServerParts, 'serveMcp'>,
  admit: (request: IncomingMessage) => Caller,
  { request, response, signal }: Exchange,
): Promise<void> {
  let caller: Caller | undefined;
  try {
    caller = admit(request);
    const [path] = (request.url ?? '').split('?');
    if (path !== EVENTS_PATH) throw new WritError('NOT_FOUND', `there is nothing at ${quote(path ?? '')}`);
    if (request.method !== 'GET') throw new WritError('BAD_REQUEST', 'events are asked for with GET');
    const call = dispatcher.prepare('events', readEventQuery(request), caller);
    if (call.form !== 'stream') throw new WritError('INTERNAL', 'events are no stream');
    await sendEvents(response, call.run({ caller, signal }), { signal, clock });
  } catch (error) {
    if (signal.aborted) return;
    const failure = tellFailure(error, 'events', caller, logger);
    if (response.headersSent) endWithError(response, failure);
    else sendFailure(response, failure, true);
  }
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

function bindError(cause: NodeJS.ErrnoException, target: HostPort): WritError {
  const address = formatAddress(target);
  if (cause.code === 'EADDRINUSE') {
    return new WritError('PORT_IN_USE', `something listens on ${quote(address)} already`, {
      cause,
      nextSteps: ['stop the other program, or choose another port in `[gateway] listen`'],
    });
  }
  return new WritError('BAD_REQUEST', `cannot listen on ${quote(address)}: ${cause.message}`, {
    cause,
    nextSteps: ['write a loopback address in `[gateway] listen`'],
  });
}
