import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { ChannelCredentials, Client } from '@grpc/grpc-js';
import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import { createPinStore, loadIdentity, TLS_SERVER_NAME } from '@writ/identity';
import { compileConfig } from '@writ/policy';
import type { Method } from '@writ/wire';
import { runToEnd } from './process.ts';

const PROGRAM = join(process.cwd(), 'apps/writ/bin/writ.js');

/** Two real nodes in processes of their own, and this process as a caller that beta takes for alpha. */
export interface MeshPair {
  /** Home of the node that is called. */
  readonly home: string;
  readonly pid: number;
  readonly client: Client;
  close(): Promise<void>;
}

/** Starts the nodes below `folder`. */
export async function startMeshPair(folder: string): Promise<MeshPair> {
  const writ = (...args: string[]): Promise<string> =>
    runToEnd(process.execPath, [PROGRAM, ...args], {
      env: { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder },
    });
  const down = (): Promise<string> => writ('mesh', 'down', '--purge', '--yes', '--dir', folder);
  // As a node calls: grpc-js reads the stack of every call that is refused, and translating that takes longer than the call.
  process.setSourceMapsEnabled(false);
  const pid = pidOf('beta', await writ('mesh', 'up', '--nodes', '2', '--dir', folder, '--json'));
  const client = await dial(join(folder, 'alpha'));
  return {
    home: join(folder, 'beta'),
    pid,
    client,
    async close() {
      client.close();
      await down();
    },
  };
}

/** One call; rejects with the refusal of the other end. */
export function ask<Q, R>(
  client: Client,
  method: Method<Q, R>,
  request: Parameters<Method<Q, R>['requestSerialize']>[0],
): Promise<R> {
  const { path, requestSerialize, responseDeserialize } = method;
  return new Promise<R>((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, answer) => {
      if (error !== null) reject(error);
      else if (answer === undefined) reject(new Error('a call without an answer'));
      else resolve(answer);
    });
  });
}

function pidOf(node: string, mesh: string): number {
  const { nodes } = JSON.parse(mesh) as { readonly nodes: readonly { readonly name: string; readonly pid: number }[] };
  const pid = nodes.find(({ name }) => name === node)?.pid;
  if (pid === undefined) throw new Error(`there is no node ${node}`);
  return pid;
}

/** As the node of this home dials the other one. */
async function dial(home: string): Promise<Client> {
  const random = createSystemRandom();
  const identity = await loadIdentity({ dir: join(home, 'keys'), clock: createSystemClock(), random });
  const compiled = compileConfig(readFileSync(join(home, 'writ.toml'), 'utf8'));
  const peer = compiled.ok ? compiled.policy.config.peers.get('beta') : undefined;
  const pin = createPinStore(join(home, 'pins'), random, silentLogger).get(peer?.id ?? '');
  if (peer?.address === undefined || pin === undefined) throw new Error('the nodes are not paired');
  const { keyPem, chainPem } = identity.tls();
  const context = createSecureContext({ key: keyPem, cert: chainPem, ca: pin.certificatePem, minVersion: 'TLSv1.3' });
  return new Client(peer.address, ChannelCredentials.createFromSecureContext(context), {
    'grpc.ssl_target_name_override': TLS_SERVER_NAME,
  });
}
