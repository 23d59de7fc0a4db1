import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, WritError } from '@writ/core';
import type { OperationInput } from '@writ/gateway/client';
import type { Environment } from '../env.ts';
import { lookForSandbox } from '../lifecycle/machine-sandbox.ts';
import { freePort } from './free-port.ts';
import { createLocalNode, type LocalNode } from './local-node.ts';
import { pair } from './pair.ts';

/** Names of the nodes of a local mesh, in order. */
const MESH_NAMES = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'] as const;

export interface MeshRequest {
  readonly dir: string;
  /** 2 to 8. */
  readonly nodes: number;
  readonly workspaces: readonly { readonly name: string; readonly path: string }[];
  readonly environment: Environment;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What every node of `mesh up` offers to the nodes before it. */
const OFFER_PROFILES: OperationInput<'peer_invite'>['profiles'] = ['query', 'repo-dev'];

/** Makes (or finds), starts and pairs a mesh of separate processes: each node may ask every one after it. */
export async function meshUp(request: MeshRequest): Promise<readonly LocalNode[]> {
  if (!Number.isInteger(request.nodes) || request.nodes < 2 || request.nodes > MESH_NAMES.length) {
    throw new WritError('BAD_REQUEST', `a local mesh has 2 to ${MESH_NAMES.length} nodes`, {
      nextSteps: ['writ mesh up --nodes 3'],
    });
  }
  mkdirSync(request.dir, { recursive: true, mode: 0o700 });
  const nodes = MESH_NAMES.slice(0, request.nodes).map((name) =>
    createLocalNode(request.dir, name, request.environment, request.clock),
  );
  const isolation = (await lookForSandbox(request.environment)).available ? 'required' : 'none';
  for (const node of nodes) {
    await node.init({ listen: `127.0.0.1:${await freePort()}`, workspaces: request.workspaces, isolation });
    if (node.pid() === undefined) await node.start();
  }
  for (const [at, joiner] of nodes.entries()) {
    const { peers } = await joiner.client().call('peer_list', {});
    for (const inviter of nodes.slice(at + 1)) {
      if (peers.some((peer) => peer.label === inviter.name)) continue;
      const offer = { profiles: OFFER_PROFILES, workspaces: request.workspaces.map((workspace) => workspace.name) };
      await pair(inviter, joiner, offer, request.signal);
    }
  }
  return nodes;
}

/** Stops every node of the mesh in `dir`; with `purge` its folders go too. Returns the names of those that ran. */
export async function meshDown(
  dir: string,
  options: { readonly purge: boolean; readonly environment: Environment; readonly clock: Clock },
): Promise<readonly string[]> {
  const stopped: string[] = [];
  for (const name of folders(dir)) {
    const node = createLocalNode(dir, name, options.environment, options.clock);
    if (node.pid() !== undefined) {
      await node.stop();
      stopped.push(name);
    }
    if (options.purge) rmSync(join(dir, name), { recursive: true, force: true });
  }
  return stopped;
}

function folders(dir: string): readonly string[] {
  try {
    return readdirSync(dir).filter((name) => MESH_NAMES.some((known) => known === name));
  } catch {
    return [];
  }
}
