import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of one server. */
export interface ConnectionLimit {
  /** Counts this one no more: it speaks another protocol now, and is bounded by whoever serves that. */
  handOver(socket: Socket): void;
}

/**
 * Who goes where all are served: whoever comes last; or, on a socket that only its owner can open, whoever has been served for longest, so that a program that
 * opens streams without end keeps nobody from a call that takes a moment. That is whatever lasts, and not only a stream: of whom a connection is, nobody knows
 * there, since all have the one credential of that socket. So the calls of others go before the newer ones of a flood.
 */
export type LastResort = 'newest' | 'longest-served';

/**
 * Keeps a server to so many connections. Of those that ask nothing the one that has been silent for longest makes room, so that who
 * comes with a request is heard however many others only hold the line.
 */
export function limitConnections(server: Server, most: number, goes: LastResort = 'newest'): ConnectionLimit {
  /** Requests under way of each connection. */
  const open = new Map<Socket, number>();
  /** Those with some, the one that has been served for longest first. */
  const served = new Set<Socket>();
  /** Those without any, the oldest first. */
  const silent = new Set<Socket>();
  const note = (socket: Socket, more: 1 | -1): void => {
    const requests = open.get(socket);
    if (requests === undefined) return;
    open.set(socket, requests + more);
    const [here, there] = requests + more > 0 ? [served, silent] : [silent, served];
    here.add(socket);
    there.delete(socket);
  };
  server.on('connection', (socket) => {
    if (open.size >= most) {
      const [silentest] = silent;
      const [longest] = goes === 'longest-served' ? served : [];
      const leaver = silentest ?? longest ?? socket;
      leaver.destroy();
      if (leaver === socket) return;
      forget(leaver);
    }
    open.set(socket, 0);
    silent.add(socket);
    socket.once('close', () => forget(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    note(socket, 1);
    response.once('close', () => note(socket, -1));
  });
  return { handOver: forget };
  function forget(socket: Socket): void {
    open.delete(socket);
    silent.delete(socket);
    served.delete(socket);
  }
}
