import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ChannelCredentials, Client, Metadata, type StatusObject, status } from '@grpc/grpc-js';
import { createSystemClock, createSystemRandom } from '@writ/core';
import { loadIdentity, TLS_SERVER_NAME } from '@writ/identity';
import { METHOD_TABLE } from '@writ/mesh';
import type { MeshNode } from './mesh-node.ts';

/** Paths of every method that a node's listener serves. */
export const MESH_METHODS: readonly string[] = Object.keys(METHOD_TABLE);

/** Whose keys a raw caller shows: those of a home, or none. */
export type RawCaller = { readonly keysOf: MeshNode } | undefined;

/**
 * Calls methods of `target` with one message (an empty one unless it is given) and without any check or limit of our own client. Resolves, for each
 * path, with how the call ended: the name of the gRPC status and the code that the node gave, or `OK`.
 */
export async function callRaw(
  target: MeshNode,
  caller: RawCaller,
  paths: readonly string[],
  options: { readonly message?: Uint8Array; readonly tls?: SecureContextOptions } = {},
): Promise<Readonly<Record<string, string>>> {
  const server = await identityOf(target);
  const keys = caller === undefined ? undefined : (await identityOf(caller.keysOf)).tls();
  const context = createSecureContext({
    ca: server.public.certificatePem,
    ...(keys === undefined ? {} : { key: keys.keyPem, cert: keys.chainPem }),
    ...options.tls,
  });
  const client = new Client(target.listen, ChannelCredentials.createFromSecureContext(context), {
    'grpc.ssl_target_name_override': TLS_SERVER_NAME,
    'grpc.use_local_subchannel_pool': 1,
  });
  try {
    const ends = await Promise.all(
      paths.map(async (path) => [path, ending(await call(client, path, options.message))] as const),
    );
    return Object.fromEntries(ends);
  } finally {
    client.close();
  }
}

function identityOf(node: MeshNode) {
  return loadIdentity({ dir: `${node.home}/keys`, clock: createSystemClock(), random: createSystemRandom() });
}

function call(client: Client, path: string, message: Uint8Array = new Uint8Array()): Promise<StatusObject> {
  const pass = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
  return new Promise((resolve) => {
    const stream = client.makeBidiStreamRequest(path, pass, pass, new Metadata());
    stream.on('status', resolve);
    stream.on('error', () => undefined);
    stream.on('data', () => undefined);
    stream.write(message);
    stream.end();
  });
}

function ending({ code, metadata }: StatusObject): string {
  const [trailer] = metadata.get('writ-error-bin');
  const said = Buffer.isBuffer(trailer) ? (JSON.parse(trailer.toString()) as { code: string }).code : '';
  return `${status[code]} ${said}`.trim();
}
