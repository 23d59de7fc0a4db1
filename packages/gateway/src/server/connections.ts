import type { Duplex } from 'node:stream';

/** Connections that were taken over from the HTTP server and have to be ended by whoever took them. */
export interface Connections {
  readonly size: number;
  /** Keeps it until it closes; `end` asks whoever serves it to finish. `hasSpoken`: whether anything has come on it. */
  add(socket: Duplex, end: () => Promise<void>, hasSpoken: () => boolean): void;
  /** Closes the oldest on which nothing has come yet; false where there is none. */
  makeRoom(): boolean;
  /** Ends all and resolves when none is left. */
  closeAll(): Promise<void>;
}

interface Connection {
  readonly end: () => Promise<void>;
  readonly closed: Promise<void>;
  readonly hasSpoken: () => boolean;
}

/** An empty set of connections. */
export function createConnections(): Connections {
  const open = new Map<Duplex, Connection>();
  return {
    get size() {
      return open.size;
    },
    add(socket, end, hasSpoken) {
      const closed = new Promise<void>((resolve) => {
        socket.once('close', () => {
          open.delete(socket);
          resolve();
        });
      });
      open.set(socket, { end, closed, hasSpoken });
    },
    makeRoom() {
      for (const [socket, { hasSpoken }] of open) {
        if (hasSpoken()) continue;
        open.delete(socket);
        socket.destroy();
        return true;
      }
      return false;
    },
    async closeAll() {
      await Promise.all(
        [...open].map(async ([socket, { end, closed }]) => {
          await end().catch(() => {});
          socket.destroy();
          await closed;
        }),
      );
    },
  };
}
