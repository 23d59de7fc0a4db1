import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ControlClient, createControlClient } from '@writ/gateway/client';
import {
  ask,
  createTestMesh,
  doorOf,
  executingConfig,
  HOLD,
  type MeshNode,
  makeRepository,
  pairNodes,
  run,
  startAgent,
  submit,
  type TaskDoor,
  type TestMesh,
  until,
  untilFinished,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const RELAY = `
[profiles.relay]
capabilities = ["read_repo", "subdelegate"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
timeout = "10m"
isolation = "none"

[self]
profiles = ["query"]
`;
/** Says what it was given, then stands still. */
const SLEEP = ['sleep', '600'];
const MISSING = '01a00000-0000-7000-8000-000000000000';

let mesh: TestMesh;
let alpha: MeshNode;
let beta: MeshNode;
let gamma: MeshNode;

beforeAll(async () => {
  mesh = createTestMesh();
  const workspaces = { app: makeRepository(join(mesh.dir, 'app')) };
  const commands = [SLEEP, ['uname', '-s'], ['sh', '-c', 'env']];
  const config =
    (name: string, more = RELAY) =>
    (listen: string): string =>
      executingConfig({ name, listen, workspaces, commands, more });
  [alpha, beta, gamma] = await Promise.all([
    mesh.add('alpha'),
    mesh.add('beta', { config: config('beta') }),
    mesh.add('gamma', { config: config('gamma') }),
  ]);
  await pairNodes(beta, alpha, { profiles: ['query', 'relay'], workspaces: ['app'] });
  await pairNodes(gamma, beta, { profiles: ['query', 'relay'], workspaces: ['app'] });
  await pairNodes(alpha, gamma, { profiles: ['query'], workspaces: [] });
  await beta.configure(
    beta
      .config()
      .replace('[peers.alpha]', '[peers.alpha]\nmax_depth = 2')
      .replace('[peers.gamma.outbound]', '[peers.gamma.outbound]\nship = true'),
  );
  await gamma.configure(
    gamma.config().replace('[peers.beta]', '[peers.beta]\nmax_depth = 1\naccept_origins = ["alpha"]'),
  );
  await beta.client().call('lease_grant', { peer: 'alpha', profile: 'relay', duration: '8h' });
}, 120_000);
afterAll(() => mesh.close(), 60_000);

/** A task of alpha that stands still at beta, with what its process was given to talk back. */
interface Held extends TaskDoor {
  readonly task: string;
  readonly client: ControlClient;
}

async function hold(): Promise<Held> {
  const task = await submit(alpha, { to: 'beta', profile: 'relay', workspace: 'app', argv: [...HOLD] });
  const door = await doorOf(beta, task);
  return { task, ...door, client: createControlClient(door) };
}

const handOn = async (held: Held, argv = SLEEP): Promise<string> => {
  const answer = await held.client.call('delegate', { to: 'gamma', profile: 'query', argv });
  if (!answer.accepted) throw new Error(`refused: ${answer.decided?.code} ${answer.decided?.message}`);
  return answer.task;
};
const end = async (...held: readonly Held[]): Promise<void> => {
  for (const { task } of held) await alpha.client().call('cancel', { task });
};
const runsAt = (node: MeshNode, task: string): Promise<unknown> =>
  until(`${task} runs at ${node.name}`, async () => {
    try {
      return (await node.client().call('status', { task })).state === 'running';
    } catch {
      return false;
    }
  });

/** What a call came to: `OK`, or its code and message without the id that was asked for. */
const outcome = (call: Promise<unknown>, id: string): Promise<string> =>
  call.then(
    () => 'OK',
    (error: { code: string; message: string }) => `${error.code} ${error.message.replaceAll(id, 'ID')}`,
  );

/** Of nothing that any result names. */
const NO_DIGEST = 'f'.repeat(64);

const VERBS = {
  status: (client: ControlClient, task: string) => client.call('status', { task }),
  transcript: (client: ControlClient, task: string) => client.call('transcript', { task }),
  wait: (client: ControlClient, task: string) => client.call('wait', { task, timeout_seconds: 0 }),
  watch: async (client: ControlClient, task: string) => {
    for await (const _ of client.stream('task_watch', { task })) return;
  },
  log: async (client: ControlClient, task: string) => {
    for await (const _ of client.stream('task_log', { task })) return;
  },
  result: (client: ControlClient, task: string) => client.call('result', { task }),
  artifacts: (client: ControlClient, task: string) => client.call('list_artifacts', { task }),
  verify: (client: ControlClient, task: string) => client.call('verify_result', { task }),
  artifact: (client: ControlClient, task: string) => client.call('artifact', { task, sha256: NO_DIGEST }),
  content: async (client: ControlClient, task: string) => {
    for await (const _ of client.stream('task_content', { task, sha256: NO_DIGEST })) return;
  },
  cancel: (client: ControlClient, task: string) => client.call('cancel', { task }),
} as const;
const READING = ['status', 'transcript', 'wait', 'watch'] as const;
/** Of a task that is finished. */
const READING_RESULTS = ['result', 'artifacts', 'verify'] as const;

describe('a task that hands work on', () => {
  it('makes a chain of two in the session of its origin, each link within the one before', async () => {
    const held = await hold();
    const child = await handOn(held, ['uname', '-s']);
    expect(await untilFinished(beta, child)).toMatchObject({ state: 'completed' });
    const [atAlpha, atBeta, atGamma] = await Promise.all([
      alpha.client().call('task_show', { task: held.task }),
      beta.client().call('task_show', { task: child }),
      gamma.client().call('task_show', { task: child }),
    ]);
    const ids = [await alpha.id(), await beta.id(), await gamma.id()];
    expect(atGamma.hops.map(({ from, to }) => [from, to])).toEqual([ids.slice(0, 2), ids.slice(1)]);
    expect(atGamma.chain).toEqual(ids.slice(0, 2));
    expect([atBeta.session, atGamma.session]).toEqual([atAlpha.session, atAlpha.session]);
    expect([atBeta.origin, atGamma.origin]).toEqual([ids[0], ids[0]]);
    expect(atBeta).toMatchObject({ parent: held.task, hops: atGamma.hops });
    const [first, second] = atGamma.hops;
    expect(second?.capabilities).not.toContain('edit_repo');
    for (const capability of second?.capabilities ?? ['none']) expect(first?.capabilities).toContain(capability);
    expect(second).toMatchObject({ network: 'deny', depth: 1, workspaces: ['app'] });
    expect(second?.expires_at_ms).toBeLessThan(first?.expires_at_ms ?? 0);
    expect(second?.took_away).toMatchObject({ capabilities: expect.arrayContaining(['edit_repo']), network: 'allow' });
    const drawn = await gamma.writ('task', 'show', '--chain', child);
    expect(drawn.stdout).toMatch(/^alpha → beta {2}asks for relay in app\n[\s\S]*\nbeta → gamma {2}asks for query\n/);
    expect(drawn.stdout).toContain('took away  destructive, edit_repo');
    await end(held);
  });

  it('may not hand it back to where it was, nor to itself, nor beyond its grant', async () => {
    const held = await hold();
    const denied = async (input: { to: string; profile?: string; workspace?: string }) =>
      (await held.client.call('delegate', { argv: ['true'], profile: 'query', ...input })).decided;
    expect(await denied({ to: 'alpha' })).toMatchObject({ code: 'CHAIN_CYCLE', by: 'here' });
    expect(await denied({ to: 'self' })).toMatchObject({ code: 'CHAIN_CYCLE', by: 'here' });
    expect(await denied({ to: 'gamma', profile: 'repo-dev' })).toMatchObject({ code: 'PROFILE_NOT_ALLOWED' });
    expect(await denied({ to: 'gamma', profile: 'relay', workspace: 'app' })).toMatchObject({
      ...{ code: 'LEASE_REQUIRED', by: 'peer' },
    });
    await beta.configure(beta.config().replace('max_depth = 2', 'max_depth = 0'));
    expect(await denied({ to: 'gamma' })).toMatchObject({ code: 'CHAIN_TOO_DEEP', by: 'here' });
    await beta.configure(beta.config().replace('max_depth = 0', 'max_depth = 2'));
    await end(held);
  });

  it('is refused by a node that does not take work of that origin', async () => {
    const held = await hold();
    await gamma.configure(gamma.config().replace('accept_origins = ["alpha"]', 'accept_origins = []'));
    const answer = await held.client.call('delegate', { to: 'gamma', argv: ['true'], profile: 'query' });
    expect(answer.decided).toMatchObject({ code: 'ORIGIN_NOT_ACCEPTED', by: 'peer' });
    await gamma.configure(gamma.config().replace('accept_origins = []', 'accept_origins = ["alpha"]'));
    await end(held);
  });

  it('takes what it handed on with it when it is cancelled', async () => {
    const held = await hold();
    const child = await handOn(held);
    await runsAt(gamma, child);
    await end(held);
    expect(await untilFinished(gamma, child)).toMatchObject({ state: 'cancelled' });
    expect(await untilFinished(beta, child)).toMatchObject({ state: 'cancelled' });
  });
});

describe('the token of a task', () => {
  it('is there for a profile that may hand work on, and for no other', async () => {
    const { output } = await run(alpha, { argv: ['sh', '-c', 'env'] });
    expect(output.toString()).toContain('WRIT_TASK=');
    expect(output.toString()).not.toMatch(/WRIT_TASK_(TOKEN|SOCKET)/);
  });

  it('has a socket of its own, closed to everybody else, which goes with the task', async () => {
    const held = await hold();
    expect(Buffer.from(held.token.replace(/^wtt_/, ''), 'base64url')).toHaveLength(32);
    expect(statSync(held.socketPath).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(held.socketPath)).mode & 0o777).toBe(0o700);
    const database = readFileSync(join(beta.home, 'db', 'writ.db'));
    expect(database.includes(held.token)).toBe(false);
    await end(held);
    await until('the socket is gone', () => !existsSync(dirname(held.socketPath)));
    await expect(held.client.call('whoami', {})).rejects.toMatchObject({ code: 'NOT_RUNNING' });
  });

  it('reaches its own task and what that handed on; everything else is as if it were not there', async () => {
    const [held, sibling] = [await hold(), await hold()];
    const child = await handOn(held);
    const cousin = await handOn(sibling);
    const strange = await submit(beta, { to: 'self', argv: SLEEP });
    const asked = await submit(beta, { to: 'gamma', argv: SLEEP });
    await runsAt(beta, child);
    for (const verb of READING) {
      for (const task of [held.task, child]) {
        expect(await outcome(VERBS[verb](held.client, task), task), `${verb} of its own`).toBe('OK');
      }
    }
    for (const [verb, call] of Object.entries(VERBS)) {
      const missing = await outcome(call(held.client, MISSING), MISSING);
      expect(missing).toMatch(/^NOT_FOUND/);
      for (const [what, task] of Object.entries({ sibling: sibling.task, cousin, strange, asked })) {
        expect(await outcome(call(held.client, task), task), `${verb} of ${what}`).toBe(missing);
      }
    }
    const listed = async (input: Parameters<typeof held.client.call<'list_tasks'>>[1]) =>
      (await held.client.call('list_tasks', input)).tasks.map(({ task }) => task);
    expect(await listed({})).toEqual([child, held.task]);
    expect(await listed({ before: `${cousin}+` })).toEqual(await listed({ before: `${MISSING}+` }));
    expect(await listed({ side: 'asked' })).toEqual([child]);
    for (const task of [sibling.task, cousin, strange, asked]) {
      expect((await beta.client().call('status', { task })).finished, task).toBe(false);
    }
    expect(await held.client.call('cancel', { task: child })).toMatchObject({ state: 'cancelled' });
    for (const verb of READING_RESULTS) {
      expect(await outcome(VERBS[verb](held.client, child), child), `${verb} of its own`).toBe('OK');
    }
    for (const task of [strange, asked]) await beta.client().call('cancel', { task });
    await end(held, sibling);
  });

  it('has nothing that a person has', async () => {
    const held = await hold();
    const unknown = await outcome(held.client.call('node_statut' as 'node_status', {}), 'node_statut');
    const names = ['node_status', 'node_stop', 'audit_tail', 'lease_list', 'peer_list', 'policy_status'] as const;
    for (const name of names) {
      expect((await outcome(held.client.call(name, {}), name)).replaceAll(name, 'ID')).toBe(unknown);
    }
    expect(await outcome(held.client.call('task_show', { task: held.task }), 'task_show')).toBe(unknown);
    expect(await outcome(held.client.call('task_forget', { task: held.task }), 'task_forget')).toBe(unknown);
    const applying = held.client.call('apply_result', { task: held.task, repository: '/tmp' });
    expect(await outcome(applying, 'apply_result')).toBe(unknown);
    const shipping = { to: 'gamma', profile: 'query', workspace: 'app', argv: ['true'], ship: beta.home };
    expect(await outcome(held.client.call('delegate', shipping), MISSING)).toMatch(
      /^BAD_REQUEST .*is not in the files of this task/,
    );
    await end(held);
  });

  it('is good on its own socket only, and no other credential is good there', async () => {
    const [held, sibling, ended] = [await hold(), await hold(), await hold()];
    const child = await handOn(held);
    await end(ended);
    const control = join(beta.home, 'run', 'control.sock');
    const host = readFileSync(join(beta.home, 'run', 'host-token'), 'utf8').trim();
    const foreign = readFileSync(join(gamma.home, 'run', 'host-token'), 'utf8').trim();
    const wrong: readonly (readonly [string, string, string])[] = [
      ['the token of a task on the control socket', control, held.token],
      ['a dead token on the control socket', control, ended.token],
      ['the host token of another node', control, foreign],
      ['garbage', control, 'garbage'],
      ['the host token on the socket of a task', held.socketPath, host],
      ["a sibling's token on the socket of a task", held.socketPath, sibling.token],
      ['a dead token on the socket of a task', held.socketPath, ended.token],
      ['garbage on the socket of a task', held.socketPath, 'garbage'],
      ["beta's token at alpha, where its parent is", join(alpha.home, 'run', 'control.sock'), held.token],
    ];
    for (const [what, socketPath, token] of wrong) {
      const client = createControlClient({ socketPath, token });
      const calls = [
        ...Object.values(VERBS).map((call) => call(client, held.task)),
        client.call('list_tasks', {}),
        client.call('delegate', { to: 'gamma', argv: ['true'], profile: 'query' }),
      ];
      // Wrong tokens are slowed down after a while; the answer never says more than either of these.
      for (const call of calls) {
        expect(await outcome(call, held.task), what).toMatch(/^(TOKEN_INVALID|RATE_LIMITED) /);
      }
    }
    for (const task of [held.task, sibling.task, child]) {
      expect(await outcome(beta.client().call('status', { task }), task)).toBe('OK');
    }
    expect(await outcome(held.client.call('list_tasks', {}), '')).toBe('OK');
    await end(held, sibling);
  });

  it('is all that an agent inside the task uses, whatever home it names', async () => {
    const held = await hold();
    const PATH = process.env.PATH ?? '';
    const agent = await startAgent(beta, { PATH, WRIT_TASK_SOCKET: held.socketPath, WRIT_TASK_TOKEN: held.token });
    try {
      expect(await agent.tools()).toEqual(expect.arrayContaining(['delegate', 'wait', 'list_tasks']));
      expect(await agent.tools()).not.toContain('list_peers');
      const asked = await agent.call('delegate', { to: 'gamma', profile: 'query', argv: ['uname', '-s'] });
      expect(await agent.call('wait', { task: asked.task })).toMatchObject({ state: 'completed' });
      expect(await beta.client().call('task_show', { task: String(asked.task) })).toMatchObject({ parent: held.task });
    } finally {
      await agent.close();
    }
    const halves: readonly Readonly<Record<string, string>>[] = [
      { WRIT_TASK_TOKEN: held.token },
      { WRIT_TASK_SOCKET: held.socketPath },
      { WRIT_TASK_TOKEN: '' },
    ];
    for (const environment of halves) {
      await expect(startAgent(beta, { PATH, HOME: mesh.dir, ...environment })).rejects.toThrow();
    }
    await end(held);
  });
});

describe('kill -9 of the node in the middle', () => {
  it('ends the task as lost, its token, and what it handed on', async () => {
    const held = await hold();
    const child = await handOn(held);
    await runsAt(gamma, child);
    await beta.kill();
    await beta.up();
    expect(await untilFinished(alpha, held.task)).toMatchObject({ state: 'lost' });
    expect(await untilFinished(gamma, child)).toMatchObject({ state: 'cancelled' });
    const control = join(beta.home, 'run', 'control.sock');
    for (const socketPath of [held.socketPath, control]) {
      const call = createControlClient({ socketPath, token: held.token }).call('whoami', {});
      await expect(call).rejects.toMatchObject({ code: expect.stringMatching(/^(NOT_RUNNING|TOKEN_INVALID)$/) });
    }
    await until('the old socket is gone', () => !existsSync(held.socketPath));
    expect((await ask(alpha, { argv: ['true'] })).accepted).toBe(true);
  });
});
