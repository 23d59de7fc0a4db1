import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  executingConfig,
  furnishMesh,
  type MeshNode,
  makeRepository,
  pairNodes,
  processesWith,
  type TestMesh,
  WRIT_PROGRAM,
} from '@writ/testkit/mesh';

/** Three nodes in a line: alpha asks beta, and beta's tasks may hand work on to gamma. */
export interface ChainWorld {
  readonly mesh: TestMesh;
  readonly nodes: readonly MeshNode[];
  readonly alpha: MeshNode;
  readonly beta: MeshNode;
  readonly gamma: MeshNode;
  /** Work at beta; `handsOn`: and the same again at gamma, as a child of it. */
  argv(handsOn: boolean): readonly string[];
  /** Every execution that began, as `TASK ATTEMPT`, in the order of their beginning. */
  witnessed(): readonly string[];
  /** Command lines of work that still runs. */
  running(): readonly string[];
}

const RELAY = `
[profiles.relay]
capabilities = ["read_repo", "edit_repo", "subdelegate"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
timeout = "10m"
isolation = "none"
`;

export function startChainWorld(): Promise<ChainWorld> {
  return furnishMesh(furnish);
}

async function furnish(mesh: TestMesh): Promise<ChainWorld> {
  const witness = join(mesh.dir, 'witness');
  const work = join(mesh.dir, 'work.sh');
  writeFileSync(witness, '');
  // A short line that is appended is written whole, or not at all.
  writeFileSync(
    work,
    `echo "$WRIT_TASK $WRIT_ATTEMPT" >> '${witness}'\necho begun\nsleep 0.15\necho halfway >&2\nsleep 0.15\necho done > result.txt\necho done\n`,
  );
  const workspaces = { app: makeRepository(join(mesh.dir, 'app')) };
  const config =
    (name: string) =>
    (listen: string): string =>
      executingConfig({ name, listen, workspaces, commands: [['sh', work]], more: RELAY });
  const [alpha, beta, gamma] = await Promise.all([
    mesh.add('alpha'),
    mesh.add('beta', { config: config('beta') }),
    mesh.add('gamma', { config: config('gamma') }),
  ]);
  await pairNodes(beta, alpha, { profiles: ['query', 'relay'], workspaces: ['app'] });
  await pairNodes(gamma, beta, { profiles: ['query'], workspaces: ['app'] });
  await pairNodes(alpha, gamma, { profiles: ['query'], workspaces: [] });
  await beta.configure(beta.config().replace('[peers.alpha]', '[peers.alpha]\nmax_depth = 2'));
  await gamma.configure(
    gamma.config().replace('[peers.beta]', '[peers.beta]\nmax_depth = 1\naccept_origins = ["alpha"]'),
  );
  await beta.client().call('lease_grant', { peer: 'alpha', profile: 'relay', duration: '8h' });
  const onward = [process.execPath, WRIT_PROGRAM, 'delegate', '--peer', 'gamma', '--profile', 'query', '-w', 'app'];
  return {
    mesh,
    nodes: [alpha, beta, gamma],
    alpha,
    beta,
    gamma,
    argv: (handsOn) =>
      handsOn ? ['sh', '-c', `sh '${work}'; ${[...onward, '--', 'sh', work].join(' ')}`] : ['sh', work],
    witnessed: () =>
      readFileSync(witness, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    running: () => processesWith(work).map(({ command }) => command),
  };
}
