import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type handleUnaryCall, type MethodDefinition, Server, ServerCredentials, status } from '@grpc/grpc-js';

/** The only method of the floor: bytes in, bytes out, no schema, so that nothing but transport and spawn is timed. */
export const RUN_TRUE: MethodDefinition<Buffer, Buffer> = {
  path: '/writ.bench.Floor/RunTrue',
  requestStream: false,
  responseStream: false,
  requestSerialize: (bytes) => bytes,
  requestDeserialize: (bytes) => bytes,
  responseSerialize: (bytes) => bytes,
  responseDeserialize: (bytes) => bytes,
};

/** The method that answers at once. */
export const ECHO: MethodDefinition<Buffer, Buffer> = { ...RUN_TRUE, path: '/writ.bench.Floor/Echo' };

const runTrue: handleUnaryCall<Buffer, Buffer> = (call, answer) => {
  const child = spawn('true', { stdio: ['pipe', 'pipe', 'pipe'] });
  child.on('error', (error) => answer({ code: status.INTERNAL, details: error.message }));
  child.on('close', (code) => {
    if (code === 0) answer(null, call.request);
    else answer({ code: status.INTERNAL, details: `true ended with ${code}` });
  });
};

/** Serves the floor with the certificates in `folder` on a free port, tells the parent process which, and ends when the parent is gone. */
export function serveFloor(folder: string): void {
  const pem = (name: string): Buffer => readFileSync(join(folder, name));
  const server = new Server();
  server.addService(
    { runTrue: RUN_TRUE, echo: ECHO },
    { runTrue, echo: ((call, answer) => answer(null, call.request)) satisfies handleUnaryCall<Buffer, Buffer> },
  );
  const pair = { private_key: pem('server.key'), cert_chain: pem('server.crt') };
  const credentials = ServerCredentials.createSsl(pem('client.crt'), [pair], true);
  process.on('disconnect', () => server.forceShutdown());
  server.bindAsync('127.0.0.1:0', credentials, (error, port) =>
    process.send?.(error === null ? { port } : { error: error.message }),
  );
}
