import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, jsonWeight, type Logger, quote, WritError } from '@writ/core';
import type { Dispatcher, PreparedCall } from '../dispatch.ts';
import type { Entrance, Entrances } from '../entrance.ts';
import { tellFailure } from '../failure.ts';
import type { Authenticator, Sessions } from '../ports.ts';
import { ALIVE_PATH, type CallContext, type Caller, SETUP_HEADER, TOOLSETS, type Toolset } from '../types.ts';
import { createGatekeeper, type Gatekeeper } from './authorization.ts';
import { readBody, readText } from './body.ts';
import { createConnections } from './connections.ts';
import { closeServer, SERVER_LIMITS } from './limits.ts';
import { limitConnections } from './most-connections.ts';
import { createPipelineGuard } from './pipelining.ts';
import { countUntaken, NO_REQUEST, refusals, sendFailure, sendItems, sendJson, sendRawFailure } from './responses.ts';
import { listenPrivately } from './socket-file.ts';
import { toolsetsOf } from './toolset-header.ts';

/** Path prefix of every operation. */
const PREFIX = '/v1/';
/** Where a connection is turned into one of MCP. */
const MCP_PATH = '/v1/mcp';
/** Most connections that speak MCP at once. */
const MOST_MCP_CONNECTIONS = 256;

/** What a control server serves. */
export interface ControlServerParts {
  readonly dispatcher: Dispatcher;
  readonly authenticator: Authenticator;
  /** Finds the session of a call that presents a credential of one; absent: none does. */
  readonly sessions?: Pick<Sessions, 'find'>;
  /** Most connections at once, see `limitConnections`. */
  readonly mostConnections: number;
  readonly enter: Entrances;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Serves MCP on a connection and returns how to end it. */
  serveMcp(socket: Duplex, caller: Caller, toolsets: readonly Toolset[]): () => Promise<void>;
}

/** The control service on a Unix socket. */
export interface ControlServer {
  /** Throws ALREADY_RUNNING, HOME_INSECURE, CONFLICT or BAD_REQUEST. */
  listen(path: string): Promise<void>;
  /** Takes no more calls, ends streams and connections; resolves when none is left. */
  close(): Promise<void>;
}

/** Builds the server; nothing listens before `listen`. */
export function createControlServer(parts: ControlServerParts): ControlServer {
  const gatekeeper = createGatekeeper(parts.authenticator, parts.clock, parts.sessions);
  const calls: CallsUnderWay = { open: new Set(), stopping: false };
  const connections = createConnections();
  const isServed = createPipelineGuard();
  const refusing = refusals(parts.clock);
  const server = createServer(SERVER_LIMITS, (request, response) => {
    const over = new AbortController();
    const leave = (): void => {
      calls.open.delete(over);
      over.abort();
    };
    if (!isServed(request, response, leave)) return;
    calls.open.add(over);
    response.on('error', leave);
    void handle(parts, { gatekeeper, calls, signal: over.signal }, request, response);
  });
  const limit = limitConnections(server, parts.mostConnections, 'longest-served');
  server.on('upgrade', (request, socket: Socket, head) => {
    try {
      const caller = admitUpgrade(gatekeeper, calls.stopping, request);
      const toolsets = isSetup(request) ? [...TOOLSETS, 'setup' as const] : toolsetsOf(request);
      const most = Math.min(MOST_MCP_CONNECTIONS, parts.mostConnections);
      if (connections.size >= most && !connections.makeRoom()) {
        throw new WritError('RATE_LIMITED', `more than ${most} MCP connections at once`);
      }
      limit.handOver(socket);
      if (head.length > 0) socket.unshift(head);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: mcp\r\n\r\n');
      const before = socket.bytesRead - head.length;
      connections.add(socket, parts.serveMcp(socket, caller, toolsets), () => socket.bytesRead > before);
    } catch (error) {
      socket.on('error', () => {});
      sendRawFailure(socket, tellFailure(error, 'mcp', undefined, parts.logger), refusing);
    }
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) sendRawFailure(socket, NO_REQUEST, refusing);
  });
  return {
    listen: (path) => listenPrivately(server, path),
    async close() {
      calls.stopping = true;
      for (const call of calls.open) call.abort();
      await Promise.all([connections.closeAll(), closeServer(server, parts.clock)]);
    },
  };
}

function admitUpgrade(gatekeeper: Gatekeeper, stopping: boolean, request: IncomingMessage): Caller {
  const caller = gatekeeper.admit(request);
  if (stopping) throw shuttingDown();
  const protocol = request.headers.upgrade?.toLowerCase();
  if (request.url !== MCP_PATH || protocol !== 'mcp' || request.method !== 'GET') {
    throw new WritError('NOT_FOUND', `there is nothing to upgrade to at ${quote(request.url ?? '')}`);
  }
  return caller;
}

/** Set up over this socket alone: what listens on a port offers no such thing. */
function isSetup({ headers }: IncomingMessage): boolean {
  return headers[SETUP_HEADER] === 'yes';
}

/** What runs now. Each call has a controller of its own: a signal shared by all would remember every call there was. */
interface CallsUnderWay {
  readonly open: Set<AbortController>;
  stopping: boolean;
}

/** What a request comes with. */
interface Admission {
  readonly gatekeeper: Gatekeeper;
  readonly calls: CallsUnderWay;
  /** Aborted when the caller is gone, or the node stops. */
  readonly signal: AbortSignal;
}

async function handle(
  parts: ControlServerParts,
  { gatekeeper, calls, signal }: Admission,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let caller: Caller | undefined;
  let bodyRead = false;
  let leave = (): void => {};
  try {
    caller = gatekeeper.admit(request);
    if (calls.stopping) throw shuttingDown();
    if (request.url === ALIVE_PATH) return sendJson(response, 200, {});
    const name = operationName(request);
    const entrance = parts.enter(caller, 'control');
    const text = await readText(request, entrance);
    bodyRead = true;
    if (calls.stopping) throw shuttingDown();
    if (signal.aborted) return;
    leave = entrance.open(jsonWeight(text));
    const call = parts.dispatcher.prepare(name, readBody(text), caller);
    await answer(call, { response, context: { caller, signal, turn: entrance.turn }, entrance });
    if (calls.stopping && !response.writableEnded) throw shuttingDown();
  } catch (error) {
    if (signal.aborted && !calls.stopping) return;
    sendFailure(response, tellFailure(error, request.url ?? '', caller, parts.logger), !bodyRead);
  } finally {
    leave();
  }
}

async function answer(
  call: PreparedCall,
  { response, context, entrance }: { response: ServerResponse; context: CallContext; entrance: Entrance },
): Promise<void> {
  const count = countUntaken(response, entrance);
  if (call.form === 'call') sendJson(response, 200, await call.run(context));
  else await sendItems(response, call.run(context), { signal: context.signal, count });
  count();
}

/** The operation that a request names. Throws NOT_FOUND and, for another method than POST, BAD_REQUEST. */
function operationName(request: IncomingMessage): string {
  const path = request.url ?? '';
  const name = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : '';
  if (path === MCP_PATH || !/^[a-z][a-z_]*$/.test(name)) {
    throw new WritError('NOT_FOUND', `there is nothing at ${quote(path)}`);
  }
  if (request.method !== 'POST') throw new WritError('BAD_REQUEST', 'operations are called with POST');
  return name;
}

function shuttingDown(): WritError {
  return new WritError('SHUTTING_DOWN', 'the node is stopping');
}
