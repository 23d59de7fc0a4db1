import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTestMesh,
  executingConfig,
  freePort,
  type MeshNode,
  makeRepository,
  pairNodes,
  submit,
  type TestMesh,
  untilFinished,
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
export async function startWorld(): Promise<World> {
  const mesh = createTestMesh();
  try {
    return await furnish(mesh);
  } catch (error) {
    await mesh.close().catch(() => undefined);
    throw error;
  }
}

async function furnish(mesh: TestMesh): Promise<World> {
  const workspaces = { app: makeRepository(join(mesh.dir, 'app')) };
  const port = await freePort();
  const [node, beta] = await Promise.all([
    mesh.add('alpha', { start: false }),
    mesh.add('beta', { config: (listen) => executingConfig({ name: 'beta', listen, workspaces }) }),
  ]);
  node.replaceConfig(`${node.config()}\n[gateway]\nlisten = "127.0.0.1:${port}"\n`);
  await node.up();
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
  const hostToken = readFileSync(join(node.home, 'run/host-token'), 'utf8').trim();
  return { mesh, node, port, hostToken, task, execution: command.execution };
}
