import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTestMesh,
  executingConfig,
  jsonLines,
  type MeshNode,
  makeRepository,
  pairNodes,
  submit,
  type TestMesh,
  until,
  untilFinished,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let mesh: TestMesh;
let alpha: MeshNode;
let beta: MeshNode;

beforeAll(async () => {
  mesh = createTestMesh();
  const app = makeRepository(join(mesh.dir, 'app'));
  [alpha, beta] = await Promise.all([
    mesh.add('alpha'),
    mesh.add('beta', {
      config: (listen) =>
        `${executingConfig({ name: 'beta', listen, workspaces: { app } })}\n[storage]\nfailed = "1h"\n`,
    }),
  ]);
  await pairNodes(beta, alpha, { profiles: ['query', 'repo-dev'], workspaces: ['app'] });
  await beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '8h' });
}, 120_000);
afterAll(() => mesh.close(), 60_000);

interface Row {
  readonly state: string;
  readonly dir: string;
  readonly id?: string;
  readonly workspace?: string;
  readonly task?: string;
}

async function rows(): Promise<readonly Row[]> {
  const { json } = await beta.writ('workspace', 'list', '--json');
  return (json as { readonly workspaces: readonly Row[] }).workspaces;
}

/** Runs a script in the workspace to its end. */
async function ended(script: string, state: string): Promise<string> {
  const task = await submit(alpha, { profile: 'repo-dev', workspace: 'app', argv: ['sh', '-ec', script] });
  expect(await untilFinished(alpha, task)).toMatchObject({ state });
  return task;
}

/** The row of a kept clone, as soon as it is there. */
const keptOf = (task: string): Promise<Row> =>
  until('the clone is kept', async () =>
    (await rows()).find((row) => row.task === task && !['in-use', 'ready'].includes(row.state)),
  );

describe('clones of a workspace', () => {
  it('stand ready behind the first task, and go with a task that was completed', async () => {
    await ended('echo two >> README.md', 'completed');
    await until('one is ready', async () => ((await rows()).some(({ state }) => state === 'ready') ? true : undefined));
    await until('the other is gone', async () => ((await rows()).length === 1 ? true : undefined));
  });

  it('go with a task that made a repository inside: its files are evidence, and its history is said to be none', async () => {
    const task = await ended('git init -q inside; echo one > inside/one; git -C inside add one', 'completed');
    await until('its clone is gone', async () =>
      (await rows()).every((row) => row.state === 'ready') ? true : undefined,
    );
    const { stdout } = await alpha.writ('task', 'result', task);
    expect(stdout).toContain('  A inside/one  +1 -0\n  refused inside/.git: files of a repository inside count');
    expect((await alpha.writ('task', 'result', task, '--json')).json).toMatchObject({
      changes: { file_count: 1, refused: ['inside/.git'] },
    });
  });

  it('are kept where a task failed, and go when a person says so, with a row in the audit log', async () => {
    const failed = await keptOf(await ended('echo three >> README.md; exit 3', 'failed'));
    expect(failed).toMatchObject({ state: 'failed', workspace: 'app' });
    expect(existsSync(failed.dir)).toBe(true);
    const pruned = await beta.writ('workspace', 'prune', '--json');
    expect(pruned).toMatchObject({ code: 0, json: { removed: [{ id: failed.id }] } });
    await until('its folder is gone', () => (existsSync(failed.dir) ? undefined : true));
    const { stdout } = await beta.writ('audit', 'tail', '--lines', '50', '--no-follow', '--json');
    expect(jsonLines(stdout)).toContainEqual(expect.objectContaining({ action: 'node.workspaces-removed' }));
  });

  it('that nobody knows are not removed, and it is said', async () => {
    const answer = await beta.writ('workspace', 'prune', 'nothing');
    expect(answer).toMatchObject({ code: 2, stderr: expect.stringMatching(/NOT_FOUND.*nothing/) });
  });
});
