import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of one server. */
export interface ConnectionLimit {
  /** Counts this one no more: it speaks another protocol now, and is bounded by whoever serves that. */
  handOver(socket: Socket): void;
}

/**
 * Keeps a server to so many connections. Of those that ask nothing the one that has been silent for longest makes room, so that who
 * comes with a request is heard however many others only hold the line; where all are served, whoever comes last is closed.
 */
export function limitConnections(server: Server, most: number): ConnectionLimit {
  /** Requests under way of each connection. */
  const open = new Map<Socket, number>();
  /** Those without any, the oldest first. */
  const silent = new Set<Socket>();
  const note = (socket: Socket, more: 1 | -1): void => {
    const requests = open.get(socket);
    if (requests === undefined) return;
    open.set(socket, requests + more);
    if (requests + more > 0) silent.delete(socket);
    else silent.add(socket);
  };
  server.on('connection', (socket) => {
    const [oldest] = silent;
    if (open.size >= most) {
      (oldest ?? socket).destroy();
      if (oldest === undefined) return;
      forget(oldest);
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
  }
}
