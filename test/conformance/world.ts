import { join } from 'node:path';
import {
  executingConfig,
  furnishMesh,
  hostTokenOf,
  type MeshNode,
  makeRepository,
  pairNodes,
  submit,
  type TestMesh,
  untilFinished,
  upWithHttp,
} from '@writ/testkit/mesh';

/** A node with something to look at: a peer, a finished task with an artifact, a command that ran. */
export interface World {
  readonly mesh: TestMesh;
  readonly node: MeshNode;
  /** Of its listener for MCP over HTTP. */
  readonly port: number;
  readonly hostToken: string;
  readonly task: string;
  readonly execution: string;
}

/** Starts it. Throws where the work does not come to what it should. */
export function startWorld(): Promise<World> {
  return furnishMesh(furnish);
}

async function furnish(mesh: TestMesh): Promise<World> {
  const workspaces = { app: makeRepository(join(mesh.dir, 'app')) };
  const [node, beta] = await Promise.all([
    mesh.add('alpha', { start: false }),
    mesh.add('beta', { config: (listen) => executingConfig({ name: 'beta', listen, workspaces }) }),
  ]);
  const port = await upWithHttp(node);
  await pairNodes(beta, node, { profiles: ['query', 'repo-dev'], workspaces: ['app'] });
  await beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' });
  const argv = ['sh', '-c', String.raw`echo mended > mended.txt; printf '\377\000' > raw.bin; cat mended.txt`];
  const task = await submit(node, {
    profile: 'repo-dev',
    workspace: 'app',
    argv,
    artifacts: ['mended.txt', 'raw.bin'],
  });
  const { state } = await untilFinished(node, task);
  if (state !== 'completed') throw new Error(`the task of the world ended as ${state}`);
  const { command } = await node.client().call('run', { to: 'self', argv: ['uname'], profile: 'query' });
  if (command === undefined) throw new Error('the command of the world was refused');
  const hostToken = hostTokenOf(node.home);
  return { mesh, node, port, hostToken, task, execution: command.execution };
}
