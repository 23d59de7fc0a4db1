import { describe, expect, it } from 'vitest';
import { contract } from './contract/index.ts';
import { operationTable } from './contract/operation-table.ts';
import { createGateway } from './gateway.ts';
import { createToolDefinitions } from './mcp/tool-definitions.ts';
import { createRegistry } from './registry.ts';
import { createFakeNode } from './testing/fake-node.ts';
import { type Caller, readToolsets, TOOLSETS } from './types.ts';

const host: Caller = { kind: 'host' };
const task: Caller = { kind: 'task', task: 't', session: { origin: 'o', id: 's', agent: 'a' } };
const gateway = createGateway(createFakeNode().ports);
const { registry } = gateway;

/** What only a person may do; no agent and no task ever. */
const PERSON_ONLY = [
  'node_status',
  'runner_list',
  'node_stop',
  'workspace_list',
  'workspace_prune',
  'clock_accept',
  'audit_tail',
  'audit_show',
  'audit_verify',
  'audit_export',
  'peer_invite',
  'peer_confirm',
  'peer_join',
  'peer_list',
  'peer_show',
  'peer_remove',
  'lease_grant',
  'lease_list',
  'lease_show',
  'lease_renew',
  'lease_revoke',
  'task_show',
  'task_forget',
  'reply_credential',
  'policy_validate',
  'policy_explain',
  'policy_test',
  'policy_reload',
  'approver_list',
  'approver_enroll',
  'approval_list',
  'approval_show',
  'approval_ask',
  'approval_statement',
  'approval_decide',
  'approval_withdraw',
  'approval_watch',
  'window_list',
  'window_close',
  'session_start',
  'session_list',
  'session_end',
];
/** On sockets only, for whoever follows a task of its own. */
const FOLLOWING = [
  'execution_show',
  'execution_cancel',
  'execution_watch',
  'task_content',
  'task_watch',
  'task_log',
  'events',
];
/** For agents that were started with this set of tools. */
const COMMANDS = ['run', 'propose_plan', 'execution', 'list_executions'];
/** For agents that were started with that one: what their own piece of work asked, and what it may do without asking. */
const AUTHORITY = ['list_leases', 'release_lease', 'list_approvals', 'list_windows'];
/** For agents that look closely at what came back, at why, and at the other nodes. */
const EVIDENCE = ['list_artifacts', 'verify_result'];
const POLICY = ['list_profiles', 'profile_validate', 'explain_decision', 'policy_status'];
const PEERS = ['list_workspaces', 'ping_peer', 'repair_peers'];
const IN_SETS = [...COMMANDS, ...EVIDENCE, ...AUTHORITY, ...POLICY, ...PEERS];
/** For whoever sets the node up over its own socket, besides what persons are shown anyway. */
const SETUP = Object.keys(contract).filter((name) => name.startsWith('setup_'));
/** Of what persons have, what may be looked at or taken away while setting up. */
const SHOWN_IN_SETUP = [
  'node_status',
  'peer_list',
  'peer_show',
  'peer_remove',
  'lease_list',
  'policy_validate',
  'policy_test',
];
const FOR_AGENTS = [
  'whoami',
  'list_peers',
  'describe_peer',
  'check_policy',
  'delegate',
  'status',
  'wait',
  'transcript',
  'cancel',
  'list_tasks',
  'result',
  'artifact',
  'apply_result',
  'request_lease',
  'reply',
];
/** What the own agent of a task is shown besides. */
const ONLY_FOR_TASKS = ['ask'];
/** What of it a task token is shown. */
const FOR_TASKS = FOR_AGENTS.filter(
  (name) => !/^(list_peers|describe_peer|check_policy|apply_result|request_lease)$/.test(name),
).flatMap((name) => (name === 'reply' ? [...ONLY_FOR_TASKS, name] : [name]));

describe('the registry', () => {
  it('holds every operation of the contract and no other', () => {
    expect(registry.entries.map(({ operation }) => operation.name)).toEqual(Object.keys(contract));
    for (const [key, { name }] of Object.entries(contract)) expect(name).toBe(key);
  });

  it('advertises to agents exactly the operations that are for agents', () => {
    expect(createToolDefinitions(registry)(host, []).map(({ name }) => name)).toEqual(FOR_AGENTS);
    const all = createToolDefinitions(registry)(host, TOOLSETS).map(({ name }) => name);
    expect(all.filter((name) => !FOR_AGENTS.includes(name)).sort()).toEqual([...IN_SETS].sort());
    for (const [set, names] of Object.entries({
      commands: COMMANDS,
      evidence: EVIDENCE,
      policy: POLICY,
      peers: PEERS,
    })) {
      const offered = createToolDefinitions(registry)(host, readToolsets(set) ?? []).map(({ name }) => name);
      expect(offered.filter((name) => !FOR_AGENTS.includes(name)).sort(), set).toEqual([...names].sort());
    }
    expect([...FOR_AGENTS, ...ONLY_FOR_TASKS, ...IN_SETS, ...FOLLOWING, ...PERSON_ONLY, ...SETUP].sort()).toEqual(
      Object.keys(contract).sort(),
    );
  });

  it('advertises what sets a node up with that set alone, and nothing there that answers, lends, pairs or widens', () => {
    const shown = createToolDefinitions(registry)(host, [...TOOLSETS, 'setup']).map(({ name }) => name);
    const usual = createToolDefinitions(registry)(host, TOOLSETS).map(({ name }) => name);
    expect(shown.filter((name) => !usual.includes(name)).sort()).toEqual([...SETUP, ...SHOWN_IN_SETUP].sort());
    expect(readToolsets('setup')).toBeUndefined();
    expect(readToolsets('all')).not.toContain('setup');
    expect(createToolDefinitions(registry)(task, [...TOOLSETS, 'setup']).map(({ name }) => name)).toEqual(
      createToolDefinitions(registry)(task, TOOLSETS).map(({ name }) => name),
    );
  });

  it('shows a task token nothing that only a person may do', () => {
    for (const name of PERSON_ONLY) expect(registry.find(name, task), name).toBeUndefined();
    const inSets = [...COMMANDS, ...EVIDENCE, 'list_approvals', 'list_windows'];
    expect([...registry.names(task)].sort()).toEqual([...FOR_TASKS, ...inSets, ...FOLLOWING].sort());
    expect(createToolDefinitions(registry)(task, []).map(({ name }) => name)).toEqual(FOR_TASKS);
  });

  it('ties every operation that takes a task to the ownership check', () => {
    for (const { operation } of registry.entries) {
      if ('task' in operation.input.shape) expect(operation.ownedTask, operation.name).toBe('task');
    }
  });

  it('finds no name that every object has', () => {
    for (const name of ['constructor', '__proto__', 'toString', '']) expect(registry.find(name, host)).toBeUndefined();
  });

  it('refuses two operations of one name', () => {
    const [first] = registry.entries;
    expect(() => createRegistry(first ? [first, first] : [])).toThrow('twice');
  });

  it('writes its table for the docs with a row for each operation', () => {
    const rows = operationTable().trim().split('\n');
    expect(rows).toHaveLength(Object.keys(contract).length + 2);
    expect(rows).toContainEqual(
      expect.stringMatching(/^\| `lease_grant` \| answer \| persons \| {2}\| deny \| `peer`/),
    );
  });

  it('hands out the very engine that it was given', () => {
    const { ports } = createFakeNode();
    expect(createGateway(ports).engine).toBe(ports.engine);
  });
});

describe('the tools', () => {
  const tools = createToolDefinitions(registry)(host, []);
  const all = createToolDefinitions(registry)(host, TOOLSETS);

  // Four characters a token: for this very JSON that says 7 % more than cl100k_base counts and 2 % more than o200k_base.
  it('stay within the budget of 6000 tokens of definitions', () => {
    expect(JSON.stringify(tools).length / 4).toBeLessThan(6000);
  });

  it('have no field of a person’s own command', () => {
    const fieldsOf = (tool: string): readonly string[] =>
      Object.keys(all.find(({ name }) => name === tool)?.inputSchema.properties ?? {});
    expect(fieldsOf('delegate')).toContain('ship');
    expect(fieldsOf('delegate')).not.toContain('shell');
    expect(fieldsOf('apply_result')).toEqual(['task', 'repository', 'check', 'checkout']);
  });

  it('refuse unknown keys and answer objects', () => {
    for (const { inputSchema, outputSchema } of all) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
    }
  });

  it.each([
    ['', []],
    ['default', []],
    ['default, commands', ['commands']],
    ['authority', ['authority']],
    ['all', TOOLSETS],
    ['setup', undefined],
  ])('are chosen by %j', (list, toolsets) => {
    expect(readToolsets(list)).toEqual(toolsets);
  });

  it('of a set look or act as it says: nothing about authority does more than look, but for giving back', () => {
    const ofAuthority = createToolDefinitions(registry)(host, ['authority']).filter(({ name }) =>
      AUTHORITY.includes(name),
    );
    expect(ofAuthority).toHaveLength(AUTHORITY.length);
    for (const { name, annotations } of ofAuthority) {
      const givesBack = name === 'release_lease';
      expect(annotations, name).toMatchObject({ readOnlyHint: !givesBack, destructiveHint: givesBack });
    }
  });

  it('say that they reach other nodes where they do', () => {
    const far = all.filter(({ annotations }) => annotations?.openWorldHint).map(({ name }) => name);
    expect(far.sort()).toEqual([
      ...['check_policy', 'delegate', 'describe_peer', 'list_profiles', 'list_workspaces', 'ping_peer'],
      ...['propose_plan', 'repair_peers', 'request_lease', 'run'],
    ]);
  });

  it('never declare where a session is carried', () => {
    const keys = all.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
    expect(keys.filter((key) => /session/i.test(key))).toEqual(['only_this_session']);
  });

  it('are these', () => {
    const lines = tools.map(({ name, inputSchema, annotations }) => {
      const required = inputSchema.required ?? [];
      const keys = Object.keys(inputSchema.properties ?? {}).map((key) => (required.includes(key) ? key : `${key}?`));
      const marks = [
        annotations?.readOnlyHint ? 'reads' : 'writes',
        ...(annotations?.destructiveHint ? ['destructive'] : []),
        ...(annotations?.idempotentHint ? ['idempotent'] : []),
      ];
      return `${name}(${keys.join(', ')}) ${marks.join(' ')}`;
    });
    expect(lines).toMatchInlineSnapshot(`
      [
        "whoami() reads idempotent",
        "list_peers() reads idempotent",
        "describe_peer(peer) reads idempotent",
        "check_policy(to?, profile?, workspace?, runner?) reads idempotent",
        "delegate(to, argv?, prompt?, profile?, runner?, workspace?, ref?, timeout?, artifacts?, ship?, idempotency_key?) writes destructive",
        "status(task) reads idempotent",
        "wait(task, timeout_seconds?) reads idempotent",
        "transcript(task, offset?, limit?) reads idempotent",
        "cancel(task) writes destructive idempotent",
        "list_tasks(peer?, state?, side?, limit?, before?) reads idempotent",
        "result(task, limit?) reads idempotent",
        "artifact(task, name?, sha256?, offset?, limit?) reads idempotent",
        "apply_result(task, repository, check?, checkout?) writes destructive idempotent",
        "request_lease(peer?, profile, duration, workspaces?, max_uses?, only_this_session?, reason?, idempotency_key?) writes idempotent",
        "reply(task, text?, question?, idempotency_key?) writes",
      ]
    `);
  });
});
