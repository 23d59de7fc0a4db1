import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTestMesh,
  doorOf,
  enrollPerson,
  executingConfig,
  gitIn,
  type MeshNode,
  makeRepository,
  pairNodes,
  startAgent,
  startHttpAgent,
  TELL_DOOR,
  type TestAgent,
  type TestMesh,
  type TestPerson,
  upWithHttp,
} from '@writ/testkit/mesh';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

/** What an agent at beta may do, and hand on; and what it may do to beta itself. */
const PROFILES = `
[profiles.mend]
capabilities = ["read_repo", "edit_repo", "subdelegate", "interactive"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
timeout = "10m"
isolation = "none"

[profiles.ops]
capabilities = ["inspect_status", "edit_repo", "manage_services"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
isolation = "none"
`;

let mesh: TestMesh;
let alpha: MeshNode;
let beta: MeshNode;
let bea: TestPerson;
let port: number;
let mine: string;

beforeAll(async () => {
  mesh = createTestMesh();
  mine = makeRepository(join(mesh.dir, 'mine'));
  gitIn(mesh.dir, 'clone', '--quiet', mine, 'app');
  const workspaces = { app: join(mesh.dir, 'app') };
  const commands = [
    ['echo', '**'],
    ['sleep', '*'],
  ];
  const config =
    (name: string, more = '') =>
    (listen: string): string =>
      executingConfig({ name, listen, workspaces, commands, more });
  const nodes = await Promise.all([
    mesh.add('alpha', { start: false }),
    mesh.add('beta', { config: config('beta', PROFILES) }),
    mesh.add('gamma', { config: config('gamma') }),
  ]);
  [alpha, beta] = nodes;
  const [, , gamma] = nodes;
  port = await upWithHttp(alpha);
  await pairNodes(beta, alpha, { profiles: ['query', 'mend', 'ops'], workspaces: ['app'] });
  await pairNodes(gamma, beta, { profiles: ['query'], workspaces: [] });
  await pairNodes(alpha, gamma, { profiles: ['query'], workspaces: [] });
  await beta.configure(
    beta.config().replace('[peers.alpha]', '[peers.alpha]\nmax_depth = 1\nmay_request_lease = true'),
  );
  const ofBeta = '[peers.beta]\naccept_origins = ["alpha"]';
  await gamma.configure(gamma.config().replace('[peers.beta]', ofBeta));
  bea = await enrollPerson(beta, 'bea');
}, 120_000);
afterAll(() => mesh.close(), 60_000);

const WAYS = [
  { over: 'standard input and output', connect: () => startAgent(alpha, undefined, ['--toolsets', 'all']) },
  { over: 'HTTP', connect: () => startHttpAgent(alpha, port) },
];

describe.each(WAYS)('an agent that has tools alone, over $over', ({ over, connect }) => {
  let agent: TestAgent;
  const name = over.replaceAll(' ', '-');
  beforeEach(async () => {
    agent = await connect();
  });
  afterEach(() => agent.close());

  /** Asks beta to lend `profile` to this piece of work, after a denial that says so; bea says yes. */
  const borrow = async (profile: string, denied: unknown): Promise<void> => {
    expect(denied).toMatchObject({
      code: 'LEASE_REQUIRED',
      message: expect.stringContaining(`alpha ${profile}`),
      next_steps: [expect.stringContaining('request_lease'), 'ask a person at beta'],
    });
    const wish = { peer: 'beta', profile, duration: '1h', only_this_session: true };
    const asked = await agent.call('request_lease', wish);
    expect(asked).toMatchObject({ asked: true, state: 'pending' });
    await bea.answer(String(asked.approval), 'approve');
    expect(await agent.call('request_lease', wish)).toMatchObject({ state: 'approved' });
  };

  it('has something mended: denied, lent, handed on, asked, verified and applied', async () => {
    expect(await agent.call('whoami', {})).toMatchObject({ name: 'alpha', agent: 'test-agent' });
    const wish = { to: 'beta', profile: 'mend', workspace: 'app' };
    await borrow('mend', await agent.call('check_policy', wish));
    const go = join(mesh.dir, `go-${name}`);
    const works = `until [ -e '${go}' ]; do sleep 0.05; echo at work; done`;
    const script = `${TELL_DOOR}; ${works}; echo ${name} > ${name}.txt; echo mended`;
    const task = String((await agent.call('delegate', { ...wish, argv: ['sh', '-c', script] })).task);
    const { socketPath, token } = await doorOf(beta, task);
    const PATH = process.env.PATH ?? '';
    const inner = await startAgent(beta, { PATH, WRIT_TASK_SOCKET: socketPath, WRIT_TASK_TOKEN: token });
    try {
      const child = await inner.call('delegate', { to: 'gamma', profile: 'query', argv: ['echo', 'seen by gamma'] });
      expect(await inner.call('wait', { task: child.task })).toMatchObject({ state: 'completed' });
      expect(await inner.call('transcript', { task: child.task })).toMatchObject({ text: 'seen by gamma\n' });
      const answered = inner.call('ask', { questions: [{ text: 'which name?' }] });
      expect(await agent.call('wait', { task })).toMatchObject({ state: 'input_required' });
      expect(await agent.call('status', { task })).toMatchObject({ turn: { questions: [{ text: 'which name?' }] } });
      await agent.call('reply', { task, text: name });
      expect(await answered).toMatchObject({ answers: [{ kind: 'input', text: name }] });
    } finally {
      await inner.close();
    }
    // The task ends once whoever waits for it has heard of its output.
    const wait = () => agent.call('wait', { task }, () => writeFileSync(go, ''));
    let waited = await wait();
    // What it asked is answered there; here that is seen a moment later.
    while (waited.state === 'input_required') waited = await wait();
    expect(waited).toMatchObject({ state: 'completed' });
    const result = await agent.call('result', { task });
    expect(JSON.stringify(result)).toContain(`${name}.txt`);
    expect(await agent.call('verify_result', { task })).toMatchObject({ standing: 'pinned' });
    expect(await agent.call('apply_result', { task, repository: mine })).toMatchObject({ kind: 'applied' });
    expect(gitIn(mine, 'show', `writ/${task}:${name}.txt`)).toBe(name);
    expect(existsSync(join(mine, `${name}.txt`))).toBe(false);
  });

  it('changes a machine: one command after a yes, and a plan after one more', async () => {
    const at = { to: 'beta', profile: 'ops', workspace: 'app' };
    const folder = (step: string): string => join(mesh.dir, `${name}-${step}`);
    const mkdir = (step: string) => ({ ...at, argv: ['mkdir', folder(step)] });
    const ended = async ({ command }: Record<string, unknown>) => {
      const { execution } = command as { readonly execution: string };
      return agent.call('execution', { execution, at: 'beta', wait_seconds: 20 });
    };
    const denied = await agent.call('run', mkdir('one'));
    expect(denied).toMatchObject({ accepted: false });
    await borrow('ops', denied.decided);
    const asked = await agent.call('run', mkdir('one'));
    expect(asked).toMatchObject({ command: { state: 'pending_approval', class: 'config-mutation' } });
    expect(existsSync(folder('one'))).toBe(false);
    const { approval } = asked.command as { readonly approval: string };
    await bea.answer(approval, 'approve');
    expect(await ended(asked)).toMatchObject({ state: 'completed', exit_code: 0 });
    expect(existsSync(folder('one'))).toBe(true);
    const steps = ['two', 'three'].map((step) => ({ argv: mkdir(step).argv }));
    const plan = await agent.call('propose_plan', { ...at, title: 'two folders', steps });
    await bea.answer(String(plan.approval), 'approve', 'session');
    for (const step of ['two', 'three']) {
      expect(await ended(await agent.call('run', mkdir(step)))).toMatchObject({ window: expect.any(String) });
      expect(existsSync(folder(step))).toBe(true);
    }
    const other = await agent.call('run', mkdir('four'));
    expect(other).toMatchObject({ command: { state: 'pending_approval' } });
  });

  it('takes back what it asked for', async () => {
    const { task } = await agent.call('delegate', { to: 'beta', profile: 'query', argv: ['sleep', '600'] });
    expect(await agent.call('wait', { task, timeout_seconds: 0 })).toMatchObject({ timed_out: true });
    expect(await agent.call('cancel', { task })).toMatchObject({ state: 'cancelled', finished: true });
    expect(await agent.call('result', { task })).toMatchObject({ state: 'cancelled', standing: 'pinned' });
  });
});
