import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex, Writable } from 'node:stream';
import { type Clock, isWritError, type Logger, visible } from '@writ/core';
import {
  type Destination,
  formatDestination,
  isNamed,
  mayReach,
  type NetworkRule,
  parseDestination,
  plainAddress,
} from './destination.ts';
import type { Lookup } from './name-lookups.ts';
import type { IsOwnAddress } from './own-address.ts';

/** What a proxy is built from. */
export interface EgressProxyOptions {
  readonly rule: NetworkRule;
  /** Absolute path of the Unix socket that it listens on, in a folder that is the node's alone. */
  readonly socket: string;
  readonly lookup: Lookup;
  readonly isOwn: IsOwnAddress;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A proxy for one run. */
export interface EgressProxy {
  readonly socket: string;
  /** Ends every connection through it. */
  close(): Promise<void>;
}

/** Longest that a connection may take to be made, milliseconds. */
const CONNECT_MS = 30_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** How long a program may take to say what it wants, milliseconds. */
const HEAD_MS = 30_000;
/** Most connections of one run at a time, and most requests: many may come over one connection before the first is answered. */
const MOST_CONNECTIONS = 256;
/** Longest name of a host (RFC 1035), and how many refusals of one run are told in the log. */
const LONGEST_HOST = 253;
const MOST_TOLD = 20;
const HTTP_PORT = 80;
/** What one hop says to the next (RFC 9110, 7.6.1), and is not passed on. */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
];

/**
 * A proxy for HTTP and CONNECT that lets a program reach what its rule names and nothing else. It resolves a name once, checks
 * what it resolves to, and connects to just that address.
 */
// INVARIANT: 1 what a run reaches of the network is what was granted.
export async function openEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const { socket, clock, logger } = options;
  const open = new Set<Duplex>();
  const keep = <T extends Duplex>(stream: T): T => {
    open.add(stream);
    stream.on('error', () => stream.destroy());
    stream.once('close', () => open.delete(stream));
    // Each request over it listens for its end.
    return stream.setMaxListeners(0);
  };
  const dial: Dial = (address, { port }) => {
    const server = keep(connect({ host: address, port }));
    const cancelTimer = clock.setTimer(CONNECT_MS, () => server.destroy());
    return server.once('connect', cancelTimer).once('close', cancelTimer);
  };
  let refusals = 0;
  const tell = (destination: Destination | undefined, why: string): void => {
    refusals += 1;
    if (refusals > MOST_TOLD) return;
    const wanted = destination === undefined ? 'what it is cannot be read' : visible(formatDestination(destination));
    logger.warn('a task was refused a connection', { destination: wanted, why });
    if (refusals === MOST_TOLD) logger.warn('further refusals of this run are not told');
  };
  const find: Find = async (wanted, gone) => {
    const destination = wanted !== undefined && wanted.host.length <= LONGEST_HOST ? wanted : undefined;
    const found = destination === undefined ? NOT_NAMED : await addressOf(options, destination, gone);
    if (typeof found !== 'string' && !gone.aborted) tell(destination, found.why);
    return found;
  };
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEAD_MS,
    connectionsCheckingInterval: HEAD_MS / 10,
  };
  const slots = createSlots(MOST_CONNECTIONS);
  const server = createServer(limits, (incoming, response) => {
    const gone = endOf(incoming.socket, response);
    const isTaken = slots.take(gone, () => forward(incoming, response, { find, dial, gone }));
    if (!isTaken) response.writeHead(503).end();
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on('connection', keep);
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    const destination = parseDestination(incoming.url ?? '');
    const gone = endOf(client, client);
    const isTaken = slots.take(gone, async () => {
      const found = await find(destination, gone);
      if (typeof found !== 'string') client.end(refusal(found));
      else if (destination !== undefined) tunnel(client, head, dial(found, destination));
    });
    if (!isTaken) client.destroy();
  });
  server.on('clientError', (_, client) => client.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, () => resolve());
  });
  return {
    socket,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const stream of open) stream.destroy();
      }),
  };
}

/** Why there is no address for a program, as it is told. */
interface Refused {
  readonly status: 403 | 503;
  readonly why: string;
}

const NOT_NAMED: Refused = { status: 403, why: 'not in the network of the profile' };
const WORDS = { 403: 'Forbidden', 503: 'Service Unavailable' } as const;

function refusal({ status, why }: Refused): string {
  return `HTTP/1.1 ${status} ${WORDS[status]}\r\ncontent-length: 0\r\nx-writ: ${why}\r\n\r\n`;
}

/** An address that a program may reach, or why there is none; what is asked for somebody who is gone is of no use. */
type Find = (wanted: Destination | undefined, gone: AbortSignal) => Promise<string | Refused>;

/** Refused where the rule names no such place, or all that the name leads to is barred, or nobody says where it leads. */
async function addressOf(
  { rule, lookup, isOwn }: Pick<EgressProxyOptions, 'rule' | 'lookup' | 'isOwn'>,
  { host, port }: Destination,
  gone: AbortSignal,
): Promise<string | Refused> {
  if (!isNamed(rule, { host, port })) return NOT_NAMED;
  const addresses = isIP(host) === 0 ? await lookup(host, gone).catch(unanswered) : [host];
  if ('why' in addresses) return addresses;
  for (const address of addresses.map(plainAddress)) {
    if (await mayReach(rule, { host: address, port }, isOwn)) return address;
  }
  return NOT_NAMED;
}

/** That a name has no address is told as that it may not be reached; that it was not found out is told. */
function unanswered(error: unknown): readonly string[] | Refused {
  const isBusy = isWritError(error, 'LIMIT_EXCEEDED') || isWritError(error, 'TIMED_OUT');
  return isBusy ? { status: 503, why: error.message } : [];
}

/** Connects within `CONNECT_MS`, or ends the connection; the end of the proxy ends it too. */
type Dial = (address: string, destination: Destination) => Socket;

/** Aborted once `answer` is over or the connection that it goes to is: an answer that waits for its turn hears of neither. */
function endOf(connection: Duplex, answer: Writable): AbortSignal {
  const over = new AbortController();
  const end = (): void => {
    connection.off('close', end);
    answer.off('close', end);
    over.abort();
  };
  connection.once('close', end);
  answer.once('close', end);
  return over.signal;
}

/** At most so many things at a time; each takes its place until its work is done and its end has come. */
function createSlots(most: number) {
  let taken = 0;
  return {
    /** False: there is no place, and nothing was begun. What the work throws ends nothing but itself. */
    take(end: AbortSignal, work: () => Promise<void>): boolean {
      if (taken >= most) return false;
      taken += 1;
      const ended = end.aborted ? undefined : new Promise((resolve) => end.addEventListener('abort', resolve));
      void Promise.allSettled([work(), ended]).then(() => {
        taken -= 1;
      });
      return true;
    },
  };
}

function tunnel(client: Duplex, head: Buffer, server: Socket): void {
  server.once('connect', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) server.write(head);
    server.pipe(client);
    client.pipe(server);
  });
  server.once('close', () => client.destroy());
  client.once('close', () => server.destroy());
}

/** A plain HTTP request, whose line names the whole address. */
async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  {
    find,
    dial,
    gone,
  }: {
    readonly find: Find;
    readonly dial: Dial;
    readonly gone: AbortSignal;
  },
): Promise<void> {
  const [, authority = '', path = '/'] = /^http:\/\/([^/?#]+)([^#]*)$/i.exec(incoming.url ?? '') ?? [];
  const destination = parseDestination(authority, HTTP_PORT);
  const found = await find(destination, gone);
  // Who hung up meanwhile is answered by nobody: what would be opened for it would have no end.
  if (gone.aborted) return;
  if (typeof found !== 'string' || destination === undefined) {
    const { status, why } = typeof found === 'string' ? NOT_NAMED : found;
    response.writeHead(status, { 'x-writ': why }).end();
    return;
  }
  const outgoing = request({
    ...{ method: incoming.method, setHost: false, signal: gone },
    createConnection: () => dial(found, destination),
    path: path.startsWith('/') ? path : `/${path}`,
    // What the line says counts, not what the header claims.
    headers: { ...endToEnd(incoming.headers), host: authority },
  });
  const fail = (): void => void (response.headersSent ? response.destroy() : response.writeHead(502).end());
  outgoing.on('response', (answer) => {
    try {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      answer.pipe(response);
    } catch {
      // What the server says is no answer: a status that there is not, a header that nobody can write.
      outgoing.destroy();
      fail();
    }
  });
  outgoing.on('upgrade', (_answer, upgraded) => {
    upgraded.destroy();
    fail();
  });
  outgoing.on('error', fail);
  incoming.pipe(outgoing);
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}
