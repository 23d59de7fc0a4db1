import { createServer } from 'node:http';
import { type HostPort, isLoopback, type Logger, parseAddress, readAddress, WritError } from '@writ/core';

/** A page of metrics, at a loopback address. */
export interface MetricsServer {
  readonly address: HostPort;
  close(): Promise<void>;
}

/**
 * Serves `page` as `GET /metrics`, to this machine only and to no name that was made to lead here; a page that throws is
 * logged and answered with 500. Throws PORT_IN_USE, BAD_REQUEST.
 */
export async function serveMetrics(
  listen: string,
  page: () => string,
  logger: Pick<Logger, 'error'>,
): Promise<MetricsServer> {
  const { host, port } = parseAddress(listen);
  const server = createServer((request, response) => {
    const asked = readAddress(request.headers.host ?? '') ?? { host: request.headers.host ?? '', port: 0 };
    const isHere = isLoopback(asked.host) || asked.host === 'localhost';
    if (!isHere || request.headers.origin !== undefined) return response.writeHead(403).end();
    if (request.method !== 'GET') return response.writeHead(405).end();
    if (request.url !== '/metrics') return response.writeHead(404).end();
    try {
      const text = page();
      return response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
    } catch (error) {
      // Thrown here, it would end the node.
      logger.error('metrics could not be read', { reason: String(error) });
      return response.writeHead(500).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const isTaken = cause.code === 'EADDRINUSE';
      const message = isTaken
        ? `${listen} is taken by another program`
        : `cannot listen on ${listen}: ${cause.message}`;
      const nextSteps = [
        'change [telemetry] metrics in writ.toml, then: writ up; where it waits: writ policy reload --accept, writ down && writ up',
      ];
      reject(new WritError(isTaken ? 'PORT_IN_USE' : 'BAD_REQUEST', message, { nextSteps, cause }));
    });
    server.listen({ host, port }, resolve);
  });
  const bound = server.address();
  const address = { host, port: typeof bound === 'object' && bound !== null ? bound.port : port };
  return {
    address,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
