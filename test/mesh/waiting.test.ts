import { join } from 'node:path';
import {
  ask,
  createTestMesh,
  enrollPerson,
  executingConfig,
  jsonLines,
  type LinkProxy,
  type MeshNode,
  makeRepository,
  openLinkProxy,
  pairNodes,
  type submit,
  type TestMesh,
  type TestPerson,
  until,
  untilFinished,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ASKED = `
[profiles.asked]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
commands = [["true"], ["uname", "-s"]]
require_approval = true
`;

let mesh: TestMesh;
let alpha: MeshNode;
let beta: MeshNode;
let person: TestPerson;
let proxy: LinkProxy;

beforeAll(async () => {
  mesh = createTestMesh();
  const workspaces = { app: makeRepository(join(mesh.dir, 'app')) };
  [alpha, beta] = await Promise.all([
    mesh.add('alpha'),
    mesh.add('beta', { config: (listen) => executingConfig({ name: 'beta', listen, workspaces, more: ASKED }) }),
  ]);
  await pairNodes(beta, alpha, { profiles: ['query', 'asked', 'repo-dev'], workspaces: ['app'] });
  await beta.configure(beta.config().replace('[peers.alpha]', '[peers.alpha]\nmay_request_lease = true'));
  proxy = await openLinkProxy(beta.listen);
  await alpha.configure(alpha.config().replace(beta.listen, proxy.address));
  person = await enrollPerson(beta, 'bea');
}, 120_000);
afterAll(async () => {
  await proxy?.close();
  await mesh.close();
}, 60_000);

const WISH = { profile: 'asked', argv: ['uname', '-s'] };

/** A task of alpha that waits at beta, and its question as both nodes have it. */
async function waiting(wish: Partial<Parameters<typeof submit>[1]> = {}): Promise<{ task: string; approval: string }> {
  const answer = await ask(alpha, { ...WISH, ...wish });
  expect(answer).toMatchObject({ accepted: true, state: 'waiting' });
  const { task } = answer;
  const approval = await until(`${task} says what it waits for`, async () => {
    const { waits } = await alpha.client().call('task_show', { task });
    return waits?.approval;
  });
  return { task, approval };
}

const stateAt = async (node: MeshNode, task: string): Promise<string> =>
  (await node.client().call('status', { task })).state;

describe('a task that waits for a person of another node', () => {
  it('says so wherever it is looked at, and runs once that person has said yes', async () => {
    const { task, approval } = await waiting();
    const seen = await alpha.client().call('status', { task });
    expect(seen.waiting_for).toMatch(
      new RegExp(`^a person of beta: .*approved by a person.*approval ${approval}, since`),
    );
    expect((await beta.client().call('task_show', { task })).waits).toMatchObject({
      who: 'a person of this node',
      approval,
    });
    expect((await person.answer(approval, 'approve')).decided).toBe(true);
    expect(await untilFinished(alpha, task)).toMatchObject({ state: 'completed' });
    expect((await alpha.client().call('verify_result', { task })).task).toBe(task);
  });

  it('is rejected with a no', async () => {
    const { task, approval } = await waiting();
    await person.answer(approval, 'deny');
    expect(await untilFinished(alpha, task)).toMatchObject({
      ...{ state: 'rejected', code: 'APPROVAL_REQUIRED', message: 'a person said no' },
    });
  });

  it('ends the command line with 4 where that does not wait, and shows what for', async () => {
    const argv = ['--peer', 'beta', '--profile', 'asked', '--', 'true'];
    const gone = await alpha.writ('delegate', '--no-wait', ...argv);
    expect(gone).toMatchObject({ code: 4, stderr: expect.stringMatching(/waiting for a person: .* \(approval /) });
    const detached = await alpha.writ('--json', 'delegate', '--detach', ...argv);
    expect(detached.code).toBe(4);
    const [accepted] = jsonLines(detached.stdout) as readonly { readonly state: string }[];
    expect(accepted?.state).toBe('waiting');
    const followed = alpha.start('delegate', ...argv);
    const task = await until('the third task waits', async () => {
      const { tasks } = await alpha.client().call('list_tasks', { state: 'waiting', limit: 9 });
      return tasks.length === 3 ? tasks[0]?.task : undefined;
    });
    const approval = (await beta.client().call('task_show', { task })).waits?.approval ?? '';
    await person.answer(approval, 'approve');
    expect((await followed.ended).code).toBe(0);
    const { tasks } = await alpha.client().call('list_tasks', { state: 'waiting', limit: 9 });
    for (const one of tasks) await alpha.client().call('cancel', { task: one.task });
  });

  it('waits on while its executor is killed and comes back, and runs after the yes', async () => {
    const { task, approval } = await waiting();
    await beta.kill();
    await beta.up();
    expect(await stateAt(beta, task)).toBe('waiting');
    await person.answer(approval, 'approve');
    expect(await untilFinished(alpha, task)).toMatchObject({ state: 'completed' });
  });

  it('is answered while the link is down, and its result comes when that is back', async () => {
    const { task, approval } = await waiting();
    proxy.cut();
    await until('alpha sees the break', async () => (await alpha.client().call('status', { task })).unreachable);
    await person.answer(approval, 'approve');
    expect(await untilFinished(beta, task)).toMatchObject({ state: 'completed' });
    expect(await stateAt(alpha, task)).toBe('waiting');
    proxy.mend();
    expect(await untilFinished(alpha, task)).toMatchObject({ state: 'completed' });
  });

  it('waits for a lease where that is what it lacks, and runs by it once', async () => {
    const { task, approval } = await waiting({ profile: 'repo-dev', workspace: 'app', argv: ['true'] });
    await person.answer(approval, 'approve');
    expect(await untilFinished(alpha, task)).toMatchObject({ state: 'completed' });
    const { leases } = await beta.client().call('lease_list', { all: true });
    expect(leases).toMatchObject([{ profile: 'repo-dev', uses: 1, max_uses: 1 }]);
  });
});

describe('what a person of another node is asked for', () => {
  it('is a lease, once for each request of a session, and the answer is told', async () => {
    const { credential } = await alpha.client().call('session_start', { agent: 'tester' });
    const wish = { peer: 'beta', profile: 'repo-dev', duration: '1h', only_this_session: true } as const;
    const inSession = () => alpha.clientIn(credential).call('request_lease', wish);
    const first = await inSession();
    expect(first).toMatchObject({ asked: true, state: 'pending' });
    expect(await inSession()).toEqual(first);
    await person.answer(first.approval ?? '', 'approve');
    expect(await inSession()).toMatchObject({ asked: true, approval: first.approval, state: 'approved' });
  });

  it('is over with the session: what waits for it ends at both nodes', async () => {
    const { session, credential } = await alpha.client().call('session_start', { agent: 'tester' });
    const answer = await alpha.clientIn(credential).call('delegate', { to: 'beta', ...WISH });
    expect(answer).toMatchObject({ accepted: true, state: 'waiting' });
    await alpha.client().call('session_end', { session });
    expect(await untilFinished(alpha, answer.task)).toMatchObject({ state: 'cancelled', code: 'CANCELLED' });
    expect(await untilFinished(beta, answer.task)).toMatchObject({ state: 'cancelled' });
  });
});
