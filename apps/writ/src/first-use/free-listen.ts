import { createServer } from 'node:net';

/** Where a node listens unless told otherwise. */
export const DEFAULT_LISTEN = '0.0.0.0:7420';

/** How many ports behind the default one are tried. */
const TRIED = 20;

/** The default address, or the next port behind it that nobody on this machine listens on: another node, perhaps. */
export async function freeListenAddress(): Promise<string> {
  const [host = '', port = ''] = DEFAULT_LISTEN.split(':');
  for (let next = Number(port); next < Number(port) + TRIED; next += 1) {
    if (await isFree(host, next)) return `${host}:${next}`;
  }
  return DEFAULT_LISTEN;
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
