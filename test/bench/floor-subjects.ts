import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials, type MethodDefinition } from '@grpc/grpc-js';
import { endChild, runToEnd } from './process.ts';
import type { Subject } from './subject.ts';
import { ECHO, RUN_TRUE } from './unary-server.ts';

async function makeCertificates(folder: string): Promise<void> {
  for (const name of ['server', 'client']) {
    const out = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.crt`)];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
    await runToEnd('openssl', ['req', '-x509', ...key, ...subject, ...out]);
  }
}

/**
 * The floor of any remote execution: a warm mutual-TLS channel to another process, whose handler spawns `true` with three pipes.
 * `program` and `args` start that process, which calls `serveFloor`.
 */
export function floorSubjects(
  folder: string,
  program: string,
  args: readonly string[],
): { floor: Subject; unary: Subject } {
  let server: ChildProcess | undefined;
  let client: Client | undefined;
  const call = ({ path, requestSerialize, responseDeserialize }: MethodDefinition<Buffer, Buffer>): Promise<void> =>
    new Promise((resolve, reject) => {
      if (client === undefined) throw new Error('the floor is not set up');
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, Buffer.alloc(64), (error) =>
        error === null ? resolve() : reject(error),
      );
    });
  const floor: Subject = {
    name: 'spawn+unary',
    does: 'one mTLS gRPC call to another process that spawns `true` and answers when it has ended',
    async setup() {
      await makeCertificates(folder);
      server = spawn(program, [...args, folder], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      const [message] = (await once(server, 'message')) as [{ port?: number; error?: string }];
      if (message.port === undefined) throw new Error(`the floor's server does not serve: ${message.error}`);
      const pem = (name: string): Buffer => readFileSync(join(folder, name));
      client = new Client(
        `127.0.0.1:${message.port}`,
        credentials.createSsl(pem('server.crt'), pem('client.key'), pem('client.crt')),
        { 'grpc.ssl_target_name_override': 'localhost' },
      );
    },
    once: () => call(RUN_TRUE),
    async teardown() {
      client?.close();
      await endChild(server);
    },
  };
  const unary: Subject = {
    name: 'unary',
    does: 'one mTLS gRPC call that is answered at once',
    setup: async () => {},
    once: () => call(ECHO),
    teardown: async () => {},
  };
  return { floor, unary };
}
