import { createServer } from 'node:net';

/** Why nothing could listen there now, as a code of the system such as `EADDRINUSE`; undefined: it is free. */
export function listenFailure(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'failed'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
