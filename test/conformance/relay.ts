import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A loopback address that leads to a node's `/mcp`. */
export interface Relay {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Stands before the MCP listener at `port`, for a client that can send no credential: adds `headers`, names the node's port
 * where the client names the relay's (in `Host` and `Origin`, so that the node judges what the client said), and says
 * `standIns` in the place of what they stand in for, in bodies. Everything else passes as it is.
 */
export async function openRelay(
  port: number,
  headers: Readonly<Record<string, string>>,
  standIns: Readonly<Record<string, string>>,
): Promise<Relay> {
  const server = createServer((request, response) => void pass(request, response));
  const own = (): number => (server.address() as AddressInfo).port;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = replaced(await read(request), standIns);
    const { host, origin, 'content-length': _, ...rest } = request.headers;
    const named = (value: string): string => value.replace(`:${own()}`, `:${port}`);
    const sent = {
      ...rest,
      ...(host === undefined ? {} : { host: named(host) }),
      ...(origin === undefined ? {} : { origin: named(origin) }),
      ...headers,
    };
    const onward = ask({ port, host: '127.0.0.1', path: request.url, method: request.method, headers: sent });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // A stream that says nothing yet has begun all the same.
      response.flushHeaders();
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${own()}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function replaced(body: string, standIns: Readonly<Record<string, string>>): string {
  return Object.entries(standIns).reduce(
    (text, [theirs, ours]) => text.replaceAll(JSON.stringify(theirs), JSON.stringify(ours)),
    body,
  );
}
