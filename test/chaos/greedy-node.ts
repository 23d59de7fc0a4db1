import { join } from 'node:path';
import { executingConfig, type MeshNode, makeRepository, type TestMesh } from '@writ/testkit/mesh';

const PROFILE = `
[profiles.greedy]
capabilities = ["read_repo", "edit_repo"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
timeout = "2m"
isolation = "required"

[self]
profiles = ["query", "greedy"]
workspaces = ["app"]
`;

/** A node whose tasks, in a sandbox, may use up what the machine has; not started. */
export function addGreedyNode(mesh: TestMesh): Promise<MeshNode> {
  const app = makeRepository(join(mesh.dir, 'app'));
  const config = (listen: string): string =>
    executingConfig({ name: 'solo', listen, workspaces: { app }, more: PROFILE });
  return mesh.add('solo', { config, start: false });
}

/** Starts it, and lends it what its tasks need. */
export async function startGreedyNode(node: MeshNode): Promise<void> {
  await node.up();
  await node.client().call('lease_grant', { peer: 'self', profile: 'greedy', duration: '1h' });
}

/** A wish of this node's own, under the profile. */
export const greedyWish = (script: string) => ({
  ...{ to: 'self', profile: 'greedy', workspace: 'app' },
  argv: ['sh', '-ec', script],
});
