import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTestMesh,
  enrollPerson,
  executingConfig,
  follow,
  type MeshNode,
  makeRepository,
  pairNodes,
  submit,
  type TestMesh,
  type TestPerson,
  until,
  untilFinished,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** An agent that speaks the Agent Client Protocol by hand: it asks for leave, edits one file where it gets it, and says so. */
const AGENT = `import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const update = (update) => send({ method: 'session/update', params: { sessionId: 's', update } });
let prompt;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentInfo: { name: 'hand', version: '1' } } });
  if (method === 'session/new') send({ id, result: { sessionId: 's' } });
  if (method === 'session/prompt') {
    prompt = { id, text: params.prompt[0].text };
    const options = [{ optionId: 'y', name: 'yes', kind: 'allow_once' }, { optionId: 'n', name: 'no', kind: 'reject_once' }];
    const kind = prompt.text.includes('fetch') ? 'fetch' : 'edit';
    // What is left to a person names no file.
    const where = prompt.text.includes('unsaid') ? { rawInput: { text: prompt.text } } : { locations: [{ path: process.cwd() + '/README.md' }] };
    send({ id: 'ask', method: 'session/request_permission', params: { sessionId: 's', toolCall: { toolCallId: '1', title: 'README.md', kind, ...where }, options } });
  }
  if (method === 'session/cancel') process.exit(0);
  if (id === 'ask') {
    const isAllowed = result.outcome.optionId === 'y';
    if (isAllowed) appendFileSync('README.md', prompt.text + '\\n');
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: isAllowed ? 'edited' : 'was refused' } });
    update({ sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.25, currency: 'USD' } });
    send({ id: prompt.id, result: { stopReason: prompt.text.includes('give up') ? 'refusal' : 'end_turn' } });
  }
});
`;

let mesh: TestMesh;
let alpha: MeshNode;
let beta: MeshNode;

beforeAll(async () => {
  mesh = createTestMesh();
  const app = makeRepository(join(mesh.dir, 'app'));
  const agent = join(mesh.dir, 'agent.mjs');
  writeFileSync(agent, AGENT);
  const more = `
[runners.hand]
kind = "acp"
argv = ${JSON.stringify([process.execPath, agent])}

[profiles.editor]
capabilities = ["read_repo", "edit_repo"]
runner = "hand"
require_explicit = true
require_lease = true
isolation = "none"
`;
  [alpha, beta] = await Promise.all([
    mesh.add('alpha'),
    mesh.add('beta', { config: (listen) => executingConfig({ name: 'beta', listen, workspaces: { app }, more }) }),
  ]);
  await pairNodes(beta, alpha, { profiles: ['query', 'editor'], workspaces: ['app'] });
  await beta.client().call('lease_grant', { peer: 'alpha', profile: 'editor', duration: '8h' });
}, 120_000);
afterAll(() => mesh.close(), 60_000);

async function prompted(prompt: string) {
  const task = await submit(alpha, { profile: 'editor', workspace: 'app', prompt });
  return { ...(await follow(alpha, task)), task };
}

describe('a prompt for an agent at a peer', () => {
  it('is worked on within the grant, and its evidence and what it cost come back', async () => {
    const { outcome, output, runner, task } = await prompted('a line');
    expect(outcome).toMatchObject({ state: 'completed', ending: { kind: 'exit', exit_code: 0 } });
    expect([runner, output.toString()]).toEqual(['hand', expect.stringContaining('edited\n')]);
    const { stdout } = await alpha.writ('task', 'result', '--json', task);
    expect(JSON.parse(stdout)).toMatchObject({ runner: 'hand', usage: { cost_micro_usd: 250_000 } });
    expect((await alpha.writ('task', 'result', '--patch', task)).stdout).toContain('+a line\n');
  });

  it('is refused what the grant does not hold, and told why in its transcript', async () => {
    const { outcome, output } = await prompted('fetch it');
    expect(outcome.state).toBe('completed');
    expect(output.toString()).toContain('refused: fetch README.md: it needs use_network');
    expect(output.toString()).toContain('was refused\n');
  });

  it('that it gives up is a failure, although its process ends well', async () => {
    const { outcome } = await prompted('give up');
    expect(outcome).toMatchObject({
      ...{ state: 'failed', code: 'WORKER_FAILED', ending: { kind: 'exit', exit_code: 0 } },
      message: 'exited with status 0; the agent: it stopped: refusal',
    });
  });
});

describe('leave that the grant leaves to a person', () => {
  let person: TestPerson;
  beforeAll(async () => {
    person = await enrollPerson(beta);
  });

  /** Until the agent waits; the question as the origin sees it. */
  async function asking(prompt: string): Promise<{ readonly task: string; readonly approval: string }> {
    const task = await submit(alpha, { profile: 'editor', workspace: 'app', prompt });
    const { turn } = await until('it asks', async () => {
      const status = await alpha.client().call('status', { task });
      return status.state === 'approval_required' ? status : undefined;
    });
    const [question] = turn?.questions ?? [];
    expect(question).toMatchObject({ kind: 'approval', answered_by: 'an approver of the executing node' });
    expect(question?.text).toContain(`input: {"text":"${prompt}"}`);
    return { task, approval: question?.approval ?? '' };
  }

  it('waits for it, seen at both ends and shown whole to the approver, and does what was allowed', async () => {
    const { task, approval } = await asking('unsaid, approved');
    const { stdout: here } = await beta.writ('approval', 'show', approval);
    for (const line of [
      'the agent asks leave to: edit: README.md',
      'a person is asked since: which files it would change cannot be told',
      'input: {"text":"unsaid, approved"}',
    ]) {
      expect(here).toContain(line);
    }
    expect(await beta.client().call('status', { task })).toMatchObject({ state: 'approval_required' });
    expect(await person.answer(approval, 'approve')).toMatchObject({ decided: true });
    const { outcome, output } = await follow(alpha, task);
    expect(outcome.state).toBe('completed');
    expect(output.toString()).toMatch(/allowed: edit README.md: by .+\n/);
    expect((await alpha.writ('task', 'result', '--patch', task)).stdout).toContain('+unsaid, approved\n');
  });

  it('is told that it was denied, by kind, and goes on without', async () => {
    const { task, approval } = await asking('unsaid, denied');
    expect(await person.answer(approval, 'deny')).toMatchObject({ decided: true });
    const { outcome, output } = await follow(alpha, task);
    expect(outcome.state).toBe('completed');
    expect(output.toString()).toContain('refused: edit README.md: denied by ');
    expect(output.toString()).toContain('was refused\n');
  });

  it('is asked no more when the task is cancelled meanwhile', async () => {
    const { task, approval } = await asking('unsaid, cancelled');
    await alpha.client().call('cancel', { task });
    expect((await untilFinished(alpha, task)).state).toBe('cancelled');
    expect(await person.answer(approval, 'approve')).toMatchObject({ decided: false });
  });

  it('ends with its node, and is asked by nobody afterwards', async () => {
    const { task, approval } = await asking('unsaid, killed');
    await beta.kill();
    await beta.up();
    expect((await untilFinished(alpha, task)).state).toBe('lost');
    expect(await person.answer(approval, 'approve')).toMatchObject({ decided: false });
  });
});
