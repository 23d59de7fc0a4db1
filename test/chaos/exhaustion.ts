import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  executingConfig,
  follow,
  furnishMesh,
  type MeshNode,
  makeRepository,
  processesWith,
  run,
  submit,
} from '@writ/testkit/mesh';

/** What came of tasks that use up what the machine has. */
export interface ExhaustionFigures {
  /** Of each of the two. */
  readonly count: number;
  /** How the tasks ended, each way with how often. */
  readonly endings: Readonly<Record<string, number>>;
  /** What did not hold. */
  readonly violations: readonly string[];
}

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

/** Marks the command lines of what a storm leaves. */
const SLEEP_SECONDS = '86399';
/** Children without end; a shell that cannot make one more says so and ends. */
const STORM = `while :; do sleep ${SLEEP_SECONDS} & done`;
const FILL = 'head -c 1G /dev/zero > filled';
/** Of the disk that all clones share. */
const DISK = '24m';

/**
 * So many tasks each that fork without end and that fill the disk of all clones, one after the other at one node;
 * the limits are those of this process. After each, another task has to work as if nothing had been.
 */
export async function exhaust(count: number): Promise<ExhaustionFigures> {
  const violations: string[] = [];
  const endings: Record<string, number> = {};
  const node = await furnishMesh(async (mesh) => {
    const app = makeRepository(join(mesh.dir, 'app'));
    const config = (listen: string): string =>
      executingConfig({ name: 'solo', listen, workspaces: { app }, more: PROFILE });
    const solo = await mesh.add('solo', { config, start: false });
    const disk = join(solo.home, 'workspaces');
    mkdirSync(disk, { recursive: true, mode: 0o700 });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=0700`, 'disk', disk]);
    await solo.up();
    await solo.client().call('lease_grant', { peer: 'self', profile: 'greedy', duration: '1h' });
    return { mesh, solo, disk };
  });
  const { mesh, solo, disk } = node;
  const pid = solo.pid();
  const shot = async (what: string, script: string, reason: RegExp): Promise<void> => {
    const task = await submit(solo, { to: 'self', profile: 'greedy', workspace: 'app', argv: ['sh', '-ec', script] });
    const ended = await follow(solo, task);
    const { state, code = '', message } = ended.outcome;
    const { changes } = await solo.client().call('result', { task, limit: 0 });
    const key = `${what}: ${state} ${code}: ${message}; changes: ${changes.kind}`;
    endings[key] = (endings[key] ?? 0) + 1;
    const said = ended.output.toString('utf8');
    if (state !== 'failed' || !reason.test(said + message)) violations.push(`${what}: ${key}: ${said.slice(-200)}`);
    // What the next task would be told to do.
    for (const name of readdirSync(disk).filter((one) => one.startsWith('run-')))
      rmSync(join(disk, name, 'work', 'filled'), { force: true });
    violations.push(...(await aftermath(solo, pid)).map((one) => `${what}: ${one}`));
  };
  try {
    for (let round = 0; round < count; round++) {
      await shot('fork storm', STORM, /fork|Resource temporarily unavailable/i);
      await shot('full disk', FILL, /No space left on device/);
    }
  } catch (error) {
    violations.push(String(error));
  }
  await solo.down();
  execFileSync('umount', [disk]);
  await mesh.close().catch((error: unknown) => violations.push(String(error)));
  return { count, endings, violations };
}

/** What is wrong behind a task that is over. */
async function aftermath(node: MeshNode, pid: number | undefined): Promise<readonly string[]> {
  const left = processesWith(SLEEP_SECONDS).length;
  const next = await run(node, { to: 'self', profile: 'greedy', workspace: 'app', argv: ['true'] });
  return [
    ...(left > 0 ? [`${left} processes are left`] : []),
    ...(node.pid() === pid ? [] : ['the node is another one']),
    ...(next.outcome.state === 'completed' ? [] : [`the next task: ${next.outcome.message}`]),
  ];
}
