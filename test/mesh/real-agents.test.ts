import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  createTestMesh,
  executingConfig,
  follow,
  type MeshNode,
  makeRepository,
  pairNodes,
  submit,
  type TestMesh,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { describeWithAgent, findAgent, findTool, type RealAgent } from '../support/require.ts';

const KEY = 'sk-scripted-0123456789-0123456789';

let mesh: TestMesh;
let model: ModelServer;
let alpha: MeshNode;
let beta: MeshNode;

/** The folder that holds both the program that PATH names and what it leads to. */
function folderOf(agent: RealAgent): string {
  const path = findAgent(agent) ?? '/usr/bin/true';
  const real = `${dirname(realpathSync(path))}/`;
  let folder = realpathSync(dirname(path));
  while (!real.startsWith(`${folder}/`)) folder = dirname(folder);
  return folder;
}

/** A profile of an agent, in the sandbox of this machine, whose only address is the model's. */
function profile(name: string, agent: RealAgent, capabilities: readonly string[], more = ''): string {
  return `
[profiles.${name}]
capabilities = ${JSON.stringify([...capabilities, 'use_network', 'read_files'])}
runner = "${agent}"
network = ["${model.address}"]
read_paths = ["${folderOf(agent)}"]
env = ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"]
timeout = "2m"
require_explicit = true
require_lease = true
isolation = "${findTool('bwrap') === undefined ? 'none' : 'required'}"
${more}`;
}

async function setUp(agent: RealAgent, runner: () => string): Promise<void> {
  mesh = createTestMesh();
  model = await startModelServer();
  const app = makeRepository(join(mesh.dir, 'app'));
  const environment = { ANTHROPIC_BASE_URL: `http://${model.address}`, ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY };
  const more =
    runner() + profile('fix', agent, ['edit_repo'], 'shell = "allow"') + profile('look', agent, ['read_repo']);
  [alpha, beta] = await Promise.all([
    mesh.add('alpha'),
    mesh.add('beta', {
      environment,
      config: (listen) => executingConfig({ name: 'beta', listen, workspaces: { app }, more }),
    }),
  ]);
  await pairNodes(beta, alpha, { profiles: ['query', 'fix', 'look'], workspaces: ['app'] });
  for (const name of ['fix', 'look']) {
    await beta.client().call('lease_grant', { peer: 'alpha', profile: name, duration: '8h' });
  }
}

async function tearDown(): Promise<void> {
  await mesh.close();
  await model.close();
}

async function prompted(name: string) {
  const task = await submit(alpha, { profile: name, workspace: 'app', prompt: 'mend it' });
  const { outcome, output } = await follow(alpha, task);
  const result = JSON.parse((await alpha.writ('task', 'result', '--json', task)).stdout) as {
    readonly usage?: { readonly input_tokens?: number; readonly output_tokens?: number };
  };
  const patch = async (): Promise<string> => (await alpha.writ('task', 'result', '--patch', task)).stdout;
  return { outcome, output: output.toString(), usage: result.usage, patch };
}

/** The agent as its node finds it. */
async function found(agent: RealAgent) {
  const { agents } = await beta.client().call('runner_list', {});
  return agents.find(({ name }) => name === agent);
}

describeWithAgent('claude', 'claude, the real one, and a model that does what the test says', () => {
  beforeAll(() => setUp('claude', () => '\n[runners.claude]\nkind = "claude"\n'), 120_000);
  afterAll(tearDown, 60_000);

  it('is found, with its version', async () => {
    expect(await found('claude')).toMatchObject({ installed: true, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });

  it('edits, runs and says what it did; its evidence and what it used come back', async () => {
    model.script([{ tool: 'Bash', input: { command: 'echo mended > mended.txt' } }, { say: 'it is mended' }]);
    const { outcome, output, usage, patch } = await prompted('fix');
    expect([outcome.message, outcome.state]).toEqual([expect.any(String), 'completed']);
    expect(output).toContain('it is mended\n');
    expect(output).toMatch(/tool: Bash .*mended\.txt/);
    expect(output).not.toContain(KEY);
    expect(usage).toMatchObject({ input_tokens: 20, output_tokens: 14 });
    expect(await patch()).toContain('+mended\n');
  });

  it('writes in its workspace, and nowhere else', async () => {
    model.script([{ tool: 'Write', input: { file_path: '/tmp/elsewhere', content: 'x' } }, { say: 'I could not' }]);
    const { outcome, output } = await prompted('fix');
    expect(outcome.state).toBe('completed');
    expect(output).toContain('refused: Write: ');
  });

  it('is not offered what its grant does not hold', async () => {
    model.script([{ tool: 'Bash', input: { command: 'echo x > x.txt' } }, { say: 'I have no shell' }]);
    const { outcome, patch } = await prompted('look');
    expect(outcome.state).toBe('completed');
    expect(await patch()).toBe('');
  });

  it('whose model refuses has failed, and says why', async () => {
    model.refuse();
    const { outcome } = await prompted('look');
    expect(outcome).toMatchObject({ state: 'failed', code: 'WORKER_FAILED' });
    expect(outcome.message).toMatch(/nobody is let in/);
  });
});

describeWithAgent('codex', 'codex, the real one, and a model that does what the test says', () => {
  beforeAll(async () => {
    const provider = (): string =>
      `model_providers.scripted={name="scripted",base_url="http://${model.address}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}`;
    const argv = () => ['codex', '-c', provider(), '-c', 'model_provider="scripted"', '-c', 'model="scripted"'];
    await setUp('codex', () => `\n[runners.codex]\nkind = "codex"\nargv = ${JSON.stringify(argv())}\n`);
  }, 120_000);
  afterAll(tearDown, 60_000);

  it('is found, with its version', async () => {
    expect(await found('codex')).toMatchObject({ installed: true, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });

  it('runs commands in the sandbox of its node; its evidence and what it used come back', async () => {
    model.script([{ tool: 'exec_command', input: { cmd: 'echo mended > mended.txt' } }, { say: 'it is mended' }]);
    const { outcome, output, usage, patch } = await prompted('fix');
    expect([outcome.message, outcome.state]).toEqual([expect.any(String), 'completed']);
    expect(output).toContain('it is mended\n');
    expect(output).toMatch(/tool: run .*mended\.txt.* \(status 0\)/);
    expect(output).not.toContain(KEY);
    expect(usage).toMatchObject({ input_tokens: 40, output_tokens: 18 });
    expect(await patch()).toContain('+mended\n');
  });

  it('whose model refuses has failed, and says why', async () => {
    model.refuse();
    const { outcome } = await prompted('look');
    expect(outcome).toMatchObject({ state: 'failed', code: 'WORKER_FAILED' });
    expect(outcome.message).toMatch(/nobody is let in/);
  });
});
