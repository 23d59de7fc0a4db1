import { startAgent, startThreeNodes, type TestAgent, type ThreeNodes } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let nodes: ThreeNodes;
let agent: TestAgent;
beforeAll(async () => {
  nodes = await startThreeNodes({
    commands: [
      ['echo', '**'],
      ['sleep', '*'],
    ],
  });
  agent = await startAgent(nodes.alpha);
}, 120_000);
afterAll(async () => {
  await agent.close();
  await nodes.mesh.close();
}, 60_000);

const WORK = { to: 'beta', profile: 'repo-dev', workspace: 'app' } as const;

describe('an agent at alpha’s MCP tools', () => {
  it('finds out where it is and whom it may ask', async () => {
    expect(await agent.call('whoami', {})).toMatchObject({ name: 'alpha', unseparated: true, agent: 'test-agent' });
    expect(await agent.call('list_peers', {})).toMatchObject({
      peers: [{ label: 'beta', enabled: true, profiles_we_may_ask: ['query', 'repo-dev', 'system-change'] }],
    });
    expect(await agent.call('describe_peer', { peer: 'beta' })).toMatchObject({
      profiles: expect.arrayContaining([expect.objectContaining({ name: 'repo-dev', requires_lease: true })]),
    });
  });

  it('delegates, waits and reads the output', async () => {
    const asked = await agent.call('delegate', { to: 'beta', profile: 'query', argv: ['echo', 'hello', 'agent'] });
    expect(asked).toMatchObject({ accepted: true });
    const task = String(asked.task);
    expect(await agent.call('wait', { task, timeout_seconds: 20 })).toMatchObject({
      state: 'completed',
      timed_out: false,
    });
    expect(await agent.call('transcript', { task })).toMatchObject({ text: 'hello agent\n', end: true });
    expect(await agent.call('status', { task })).toMatchObject({ finished: true, outcome: { state: 'completed' } });
    expect(await agent.call('list_tasks', {})).toMatchObject({ tasks: [{ task }] });
  });

  it('is told why not, and what would help; after a person lent it, it runs, until that is taken back', async () => {
    const denied = await agent.call('delegate', { ...WORK, argv: ['id', '-u'] });
    expect(denied).toMatchObject({ accepted: false, decided: { code: 'LEASE_REQUIRED' } });
    expect(denied).toHaveProperty('decided.next_steps.0');
    const { lease } = await nodes.beta
      .client()
      .call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' });
    const asked = await agent.call('delegate', { ...WORK, argv: ['id', '-u'] });
    expect(await agent.call('wait', { task: asked.task })).toMatchObject({ state: 'completed' });
    const cut = await agent.call('delegate', { ...WORK, profile: 'system-change', argv: ['true'] });
    expect(await agent.call('wait', { task: cut.task })).toMatchObject({
      granted: { requested_profile: 'system-change', effective_profile: 'repo-dev', effective_runner: 'shell' },
    });
    const running = await agent.call('delegate', { ...WORK, argv: ['sleep', '600'] });
    expect(await agent.call('wait', { task: running.task, timeout_seconds: 0 })).toMatchObject({ timed_out: true });
    await nodes.beta.client().call('lease_revoke', { lease: lease.id });
    expect(await agent.call('wait', { task: running.task })).toMatchObject({ outcome: { code: 'LEASE_REVOKED' } });
    expect(await agent.call('delegate', { ...WORK, argv: ['true'] })).toMatchObject({ accepted: false });
  });

  it('cancels, and is answered when nothing is left', async () => {
    const asked = await agent.call('delegate', { to: 'beta', profile: 'query', argv: ['sleep', '600'] });
    expect(await agent.call('cancel', { task: asked.task })).toMatchObject({ state: 'cancelled', finished: true });
  });

  it('gets what is wrong with its input as an error of the tool', async () => {
    const failures = [
      await agent.try('delegate', { to: 'nobody', profile: 'query', argv: ['true'] }),
      await agent.try('delegate', { to: 'beta', profile: 'query' }),
      await agent.try('delegate', { to: 'beta', argv: 'true' }),
      await agent.try('status', { task: 'nothing' }),
      await agent.try('wait', { task: 'nothing', timeout_seconds: -1 }),
    ];
    expect(failures.map(({ failed }) => failed)).toEqual(failures.map(() => true));
    expect(failures[0]?.text).toContain('PEER_UNKNOWN');
    // It goes on serving.
    expect(await agent.call('whoami', {})).toMatchObject({ name: 'alpha' });
  });
});

/** What only a person may do. */
const PERSONS = [
  'lease_grant',
  'lease_revoke',
  'lease_list',
  'peer_invite',
  'peer_join',
  'peer_confirm',
  'peer_remove',
  'peer_list',
  'peer_show',
  'policy_reload',
  'policy_validate',
  'policy_explain',
  'policy_status',
  'policy_test',
  'node_stop',
  'node_status',
  'clock_accept',
  'audit_tail',
  'audit_show',
  'audit_verify',
  'audit_export',
  'task_show',
  'task_watch',
  'task_log',
  'task_content',
  'task_forget',
];

describe('what only a person may do', () => {
  it('is not advertised', async () => {
    const names = await agent.tools();
    expect(names.filter((name) => PERSONS.includes(name))).toEqual([]);
    expect(names.filter((name) => /lend|invite|join|confirm|accept|reload|stop|grant|remove/.test(name))).toEqual([]);
    expect([...names].sort()).toEqual([
      'apply_result',
      'artifact',
      'cancel',
      'check_policy',
      'delegate',
      'describe_peer',
      'list_peers',
      'list_tasks',
      'reply',
      'request_lease',
      'result',
      'status',
      'transcript',
      'wait',
      'whoami',
    ]);
  });

  it.each(PERSONS)('%s is refused to an agent that calls it by name', async (name) => {
    const { failed, text } = await agent.try(name, {
      peer: 'alpha',
      profile: 'repo-dev',
      duration: '1h',
      accept: true,
    });
    expect(failed).toBe(true);
    expect(text).not.toMatch(/"lease"|"code":\s*"writ1-/);
    expect((await nodes.alpha.client().call('lease_list', {})).leases).toEqual([]);
  });
});

it('says that the node is not running where it is not, and how to start it', async () => {
  const idle = await nodes.mesh.add('idle', { start: false });
  const done = await idle.writ('mcp', 'serve');
  expect(done).toMatchObject({ code: 6, stdout: '' });
  expect(done.stderr).toContain('NOT_RUNNING');
  expect(done.stderr).toContain(`writ --home ${idle.home} up`);
});

it('ends when its node stops, and the agent’s client is told', async () => {
  const other = await startAgent(nodes.gamma);
  expect(await other.call('whoami', {})).toMatchObject({ name: 'gamma' });
  await nodes.gamma.down();
  await other.ended;
  await other.close();
});
