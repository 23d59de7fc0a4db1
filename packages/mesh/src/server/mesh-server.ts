import { Server, ServerCredentials, type ServerOptions } from '@grpc/grpc-js';
import { type Logger, type Tracing, WritError } from '@writ/core';
import type { NodeIdentity, PinStore } from '@writ/identity';
import type { Pairing } from '@writ/pairing';
import type { PolicyEngine } from '@writ/policy';
import { loadServices } from '@writ/wire';
import type { HandlerDeps } from '../handlers/handler-deps.ts';
import { DEFAULT_LIMITS, type MeshLimits } from '../limits.ts';
import { checkMethodTable, METHOD_TABLE } from '../method-table.ts';
import { createHandlerAdapter } from './adapt-handler.ts';
import type { CallContexts } from './call-context.ts';
import { createConnections } from './connections.ts';
import { createInterceptors } from './interceptors.ts';
import { createListener } from './listener.ts';
import { createOpenCalls, type OpenCalls } from './open-calls.ts';
import { createPeerIndex, type PeerIndex } from './peer-index.ts';
import { registerServices } from './register-services.ts';

/** What a node offers to its peers, on one TLS listener. */
export interface MeshServer {
  /** `host:port`; port 0 takes a free one. Throws PORT_IN_USE, BAD_REQUEST. Once only. */
  listen(address: string): Promise<{ readonly port: number }>;
  /** Accepts nothing more, ends every stream, lets answers finish for `graceMs`; resolves with no connection left. */
  close(graceMs: number): Promise<void>;
  /** Connections of this moment. */
  connections(): number;
  /** The very engine that was passed in. */
  readonly engine: PolicyEngine;
}

/** What a mesh server is made of. The engine is the one that the gateway has too. */
export interface MeshServerOptions extends Omit<HandlerDeps, 'peers' | 'engine' | 'pairing'> {
  readonly identity: NodeIdentity;
  readonly pins: PinStore;
  readonly engine: PolicyEngine;
  readonly pairing: Pick<Pairing, 'serve' | 'hasOpenInvite'>;
  readonly logger: Logger;
  /** Absent: no call is traced. */
  readonly tracing?: Tracing | undefined;
  /** Where they differ from `DEFAULT_LIMITS`. */
  readonly limits?: Partial<MeshLimits>;
}

/** Builds the server; throws where a method has no entry in the method table. */
export function createMeshServer(options: MeshServerOptions): MeshServer {
  const { pins, engine, pairing, clock, logger } = options;
  const limits: MeshLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const services = loadServices();
  checkMethodTable(services);

  const contexts: CallContexts = new Map();
  const calls = createOpenCalls();
  const connections = createConnections(limits, clock);
  const peers = createPeerIndex({ pins, engine, clock });
  const closing = new AbortController();
  const interceptors = createInterceptors({
    contexts,
    connections,
    calls,
    peers,
    table: METHOD_TABLE,
    hasOpenInvite: () => pairing.hasOpenInvite(),
    limits,
    clock,
    logger,
    tracing: options.tracing,
  });
  const adapt = createHandlerAdapter({ contexts, stallMs: limits.stallMs, clock, logger });
  const server = new Server({ ...serverOptions(limits), interceptors });
  registerServices(server, services, adapt, { ...options, peers }, closing.signal);
  // TLS ends in our own listener; grpc-js is handed connections that are encrypted already.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = createListener({
    identity: options.identity,
    connections,
    limits,
    logger,
    accept: (socket) => injector.injectConnection(socket),
  });
  const endUntrusted = (): void => {
    endUntrustedCalls(calls, peers);
    connections.cutWhere((id) => !peers.isTrusted(id));
  };
  const followers = [engine.onChange(endUntrusted), pins.onChange(endUntrusted)];

  return {
    listen: (address) => listener.listen(address),
    connections: () => connections.size(),
    engine,
    async close(graceMs) {
      for (const stop of followers) stop();
      listener.stop();
      closing.abort();
      endStreams(calls);
      injector.drain(graceMs);
      await connections.drain(graceMs);
      server.forceShutdown();
      peers.stop();
    },
  };
}

function serverOptions(limits: MeshLimits): ServerOptions {
  return {
    'grpc.enable_channelz': 0,
    'grpc.max_receive_message_length': limits.maxRequestBytes,
    'grpc.max_send_message_length': 8 * 1024 * 1024,
    'grpc.max_concurrent_streams': limits.maxStreamsPerConnection,
    'grpc.max_connection_idle_ms': limits.idleMs,
    'grpc.keepalive_time_ms': limits.keepaliveMs,
    'grpc.keepalive_timeout_ms': limits.keepaliveTimeoutMs,
  };
}

/** INVARIANT: 2 an open stream of a peer that lost its trust ends with the change that took it. */
function endUntrustedCalls(calls: OpenCalls, peers: PeerIndex): void {
  calls.endWhere(({ caller }) =>
    caller?.kind === 'peer' && !peers.isTrusted(caller.id)
      ? new WritError('TRUST_REVOKED', 'this node no longer trusts your node')
      : undefined,
  );
}

/** Streams have no end of their own; their callers attach again later. */
function endStreams(calls: OpenCalls): void {
  calls.endWhere(({ policy }) =>
    policy !== undefined && policy.limits.maxMs === undefined
      ? new WritError('SHUTTING_DOWN', 'this node is shutting down')
      : undefined,
  );
}
