import { listenFailure } from '../listen-failure.ts';

/** Where a node listens unless told otherwise. */
export const DEFAULT_LISTEN = '0.0.0.0:7420';

/** How many ports behind the default one are tried. */
const TRIED = 20;

/** The default address, or the next port behind it that nobody on this machine listens on: another node, perhaps. */
export async function freeListenAddress(): Promise<string> {
  const [host = '', port = ''] = DEFAULT_LISTEN.split(':');
  for (let next = Number(port); next < Number(port) + TRIED; next += 1) {
    if ((await listenFailure(host, next)) === undefined) return `${host}:${next}`;
  }
  return DEFAULT_LISTEN;
}
