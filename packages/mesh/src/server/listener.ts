import type { Server } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { formatAddress, type Logger, parseAddress, quote, WritError } from '@writ/core';
import type { NodeIdentity } from '@writ/identity';
import type { MeshLimits } from '../limits.ts';
import type { Connections } from './connections.ts';
import { createPlaces } from './places.ts';

/** A TLS listener that hands its connections on. */
export interface Listener {
  /** Throws PORT_IN_USE, or BAD_REQUEST for an address that this machine does not have. */
  listen(address: string): Promise<{ readonly port: number }>;
  /** Stops accepting. */
  stop(): void;
}

/**
 * TLS 1.3 with this node's current keys. A client certificate is asked for and not demanded: what it proves is decided
 * at every call, against the pins of that moment. OpenSSL is not given the pins, because it would send their names, the
 * ids of all peers, to everybody who connects, and because they stop fitting into a handshake at some twelve hundred.
 */
export function createListener(deps: {
  readonly identity: NodeIdentity;
  readonly connections: Connections;
  readonly limits: MeshLimits;
  readonly logger: Logger;
  readonly accept: (socket: TLSSocket) => void;
}): Listener {
  const { identity, connections, limits, logger } = deps;
  const server = createServer({ ...contextOptions(identity), ...connectionOptions(limits) });
  const places = createPlaces(limits, (key) => connections.isIdle(key));
  const stopFollowing = identity.onRotate(() => server.setSecureContext(contextOptions(identity)));
  server.on('connection', (socket) => {
    if (!places.take(socket)) logger.debug('mesh connection refused: too many', { remote: socket.remoteAddress });
  });
  server.on('secureConnection', (socket) => {
    socket.on('error', (error) => logger.debug('mesh connection failed', { error: error.message }));
    if (socket.alpnProtocol !== 'h2') socket.destroy();
    else if (connections.add(socket)) deps.accept(socket);
  });
  server.on('tlsClientError', (error, socket) => {
    logger.debug('TLS handshake failed', { error: error.message, remote: socket.remoteAddress });
    socket.destroy();
  });
  return {
    listen: (address) => listenOn(server, address, logger),
    stop() {
      stopFollowing();
      server.close();
    },
  };
}

function contextOptions(identity: NodeIdentity): TlsOptions {
  const { keyPem, chainPem } = identity.tls();
  return {
    key: keyPem,
    cert: chainPem,
    // Without this the machine's own list of public authorities would be loaded and named.
    ca: identity.public.certificatePem,
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
  };
}

function connectionOptions(limits: MeshLimits): TlsOptions {
  return {
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
    handshakeTimeout: limits.handshakeMs,
    noDelay: true,
  };
}

/** Makes a server listen; from then on an error of it is logged. Throws like `listen` of a listener. */
export async function listenOn(server: Server, address: string, logger: Logger): Promise<{ readonly port: number }> {
  const target = parseAddress(address);
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(listenError(error, formatAddress(target)));
    server.once('error', refuse);
    server.listen({ host: target.host, port: target.port }, () => {
      // An error that nobody listens to would end the process, for one connection that could not be accepted.
      server.on('error', (error) => logger.error('mesh listener failed', { error: error.message }));
      server.off('error', refuse);
      resolve();
    });
  });
  const bound = server.address();
  return { port: typeof bound === 'object' && bound !== null ? bound.port : target.port };
}

/** A node that has run before takes another address only with a yes, and at its next start. */
const MOVED = 'writ up; where it waits: writ policy reload --accept, writ down && writ up';

function listenError(error: NodeJS.ErrnoException, address: string): WritError {
  if (error.code === 'EADDRINUSE') {
    return new WritError('PORT_IN_USE', `something listens on ${quote(address)} already`, {
      cause: error,
      details: { address },
      nextSteps: ['stop the other program', `or write another port into [node] listen, then: ${MOVED}`],
    });
  }
  return new WritError('BAD_REQUEST', `cannot listen on ${quote(address)}: ${error.message}`, {
    cause: error,
    details: { address },
    nextSteps: ['write an address of this machine in `[node] listen`'],
  });
}
