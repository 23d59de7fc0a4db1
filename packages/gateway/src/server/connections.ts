import type { Duplex } from 'node:stream';

/** Connections that were taken over from the HTTP server and have to be ended by whoever took them. */
export interface Connections {
  readonly size: number;
  /** Keeps it until it closes; `end` asks whoever serves it to finish. */
  add(socket: Duplex, end: () => Promise<void>): void;
  /** Ends all and resolves when none is left. */
  closeAll(): Promise<void>;
}

/** An empty set of connections. */
export function createConnections(): Connections {
  const open = new Map<Duplex, { readonly end: () => Promise<void>; readonly closed: Promise<void> }>();
  return {
    get size() {
      return open.size;
    },
    add(socket, end) {
      const closed = new Promise<void>((resolve) => {
        socket.once('close', () => {
          open.delete(socket);
          resolve();
        });
      });
      open.set(socket, { end, closed });
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
