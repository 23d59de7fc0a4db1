import { connect, createServer, type Socket } from 'node:net';

/** A TCP link to a node that a test can cut. */
export interface LinkProxy {
  /** `host:port` to dial instead of the node. */
  readonly address: string;
  /** Breaks every open connection and refuses new ones, until `mend`. */
  cut(): void;
  mend(): void;
  /** Breaks every open connection; new ones go through. */
  drop(): void;
  /** Breaks the connections after each `bytes` from the node; undefined: no more. */
  dropEvery(bytes: number | undefined): void;
  /** Connections that were broken so far. */
  broken(): number;
  close(): Promise<void>;
}

/** Listens on a free loopback port and carries bytes to `target` (`host:port`). */
export async function openLinkProxy(target: string): Promise<LinkProxy> {
  const [host = '', port = ''] = target.split(':');
  const open = new Set<Socket>();
  let isCut = false;
  let limit: number | undefined;
  let passed = 0;
  let broken = 0;
  const breakAll = (): void => {
    broken += open.size / 2;
    for (const socket of open) socket.resetAndDestroy();
  };
  const keep = (socket: Socket, other: Socket): void => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      open.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((caller) => {
    if (isCut) {
      caller.resetAndDestroy();
      return;
    }
    const node = connect({ host, port: Number(port) });
    keep(caller, node);
    keep(node, caller);
    caller.pipe(node);
    node.pipe(caller);
    node.on('data', (chunk: Buffer) => {
      passed += chunk.length;
      if (limit === undefined || passed < limit) return;
      passed = 0;
      breakAll();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('no port');
  return {
    address: `127.0.0.1:${bound.port}`,
    cut() {
      isCut = true;
      breakAll();
    },
    mend() {
      isCut = false;
    },
    drop: breakAll,
    dropEvery(bytes) {
      limit = bytes;
      passed = 0;
    },
    broken: () => broken,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      breakAll();
      await closed;
    },
  };
}
