import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemRandom, digestJson, type Json, nodeIdFromBase32, WritError } from '@writ/core';
import { issueWrit, type NodeIdentity, type WritClaims } from '@writ/identity';
import type { Task, TaskSpec } from '@writ/task-store';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  createScriptedRunner,
  createTestNode,
  NODE_IDS,
  openTestIdentity,
  type ScriptedRunner,
  type TestNode,
} from '@writ/testkit/delegation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OutgoingSubmit, PeerClient } from '../peer-port.ts';
import { NO_RESULTS } from '../testing/no-results.ts';
import type { DelegateRequest, TaskContext, TaskDoors } from '../types.ts';

const { alpha, beta } = NODE_IDS;
const GAMMA = nodeIdFromBase32('c'.repeat(32));
const OUTBOUND = { profiles: ['query'], workspaces: ['app', 'docs'] };

/** A node in the middle: works for alpha, and may ask gamma and alpha. */
const policy = (more: { maxDepth?: number; capabilities?: string; outbound?: typeof OUTBOUND } = {}): string => {
  const { maxDepth = 2, capabilities = '["read_repo", "subdelegate"]', outbound = OUTBOUND } = more;
  const peer = (label: string, id: string) => `[peers.${label}]
id = "${id}"
address = "127.0.0.1:1"
profiles = ["query", "relay"]
workspaces = ["app"]
max_depth = ${maxDepth}
[peers.${label}.outbound]
profiles = ${JSON.stringify(outbound.profiles)}
workspaces = ${JSON.stringify(outbound.workspaces)}
`;
  return `schema = 1
[node]
name = "beta"
default_profile = "query"
[workspaces.app]
path = "/repo/app"
[workspaces.docs]
path = "/repo/docs"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[profiles.relay]
capabilities = ${capabilities}
shell = "allow"
runner = "shell"
isolation = "none"
retry = "safe"
require_explicit = true
require_lease = true
max_output = "4KiB"
timeout = "10m"
${peer('alpha', alpha)}${peer('gamma', GAMMA)}`;
};

const GRANT: WritClaims['grant'] = {
  closure: ['edit_repo', 'inspect_status', 'inspect_logs', 'inspect_disk', 'inspect_network', 'inspect_processes']
    .concat('read_repo', 'run_tests', 'shell', 'subdelegate')
    .sort(),
  workspaces: ['app', 'docs'],
  network: ['a.example:443'],
  maxOutputBytes: 100_000,
};

let home: string;
let sender: NodeIdentity;
let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;
let submitted: OutgoingSubmit[];
let cancelled: string[];
let tokens: Map<string, string>;
let opened: string[];

const doors: TaskDoors = {
  issue(_tx, task) {
    tokens.set(task.id, `token of ${task.id}`);
    return `token of ${task.id}`;
  },
  async open(task) {
    opened.push(task);
    return `/run/${task}`;
  },
  drop: (_tx, task) => void tokens.delete(task),
};

/** The way to gamma; over a broken one nobody knows what has arrived. */
const link = { broken: false, tries: 0 };

function useLink(): void {
  link.tries += 1;
  if (link.broken) throw new WritError('UNREACHABLE', 'the link broke', { details: { sent: true } });
}

/** Takes everything on and lets it run until it is cancelled. */
const gamma: PeerClient = {
  ...NO_RESULTS,
  async submit(outgoing) {
    useLink();
    submitted.push(outgoing);
    return { accepted: true, state: 'queued' };
  },
  async *watch(task, _after, signal) {
    while (!signal.aborted && !cancelled.includes(task)) await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) return;
    const nothing = { truncated: false, stdoutBytes: 0, stderrBytes: 0, endedAtMs: clock.nowMs() };
    const outcome = { state: 'cancelled', code: 'CANCELLED', message: 'cancelled', ...nothing } as const;
    yield { event: { seq: 1, atMs: clock.nowMs(), epoch: 0, kind: 'outcome', outcome } };
  },
  async cancel(task) {
    useLink();
    cancelled.push(task);
    return undefined;
  },
  readTranscript: async () => ({ data: new Uint8Array(), next: 0, end: true }),
};

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'writ-children-'));
  const place = { dir: home, clock: createFakeClock(Date.UTC(2026, 0, 1)), random: createSystemRandom() };
  sender = await openTestIdentity(alpha, place);
});
afterAll(() => rm(home, { recursive: true, force: true }));

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  submitted = [];
  cancelled = [];
  opened = [];
  tokens = new Map();
  Object.assign(link, { broken: false, tries: 0 });
  node = await boot();
  node.authority.grantLease({ peer: 'alpha', profile: 'relay', durationMs: 3_600_000, issuedBy: 'person' });
});
afterEach(() => node.close());

function boot(dir?: string): Promise<TestNode> {
  const peers = { [GAMMA]: gamma, [alpha]: gamma };
  return createTestNode({ clock, runner, policy: policy(), doors, peers, ...(dir === undefined ? {} : { dir }) });
}

const SPEC: TaskSpec = { input: { kind: 'argv', argv: ['agent'] }, profile: 'relay', workspace: 'app' };
let count = 0;

/** A task of alpha that runs here. */
async function parentTask(options: { spec?: TaskSpec; depth?: number; session?: string } = {}): Promise<Task> {
  count += 1;
  const { spec = SPEC, depth = 5, session = 'session-of-alpha' } = options;
  const id = `parent-${count}`;
  const iat = Math.floor(clock.nowMs() / 1000);
  const last: WritClaims = {
    ...{ v: 1, iss: alpha, aud: beta, task: id, origin: alpha, session, agent: 'agent-of-alpha', grant: GRANT, depth },
    ...{
      iat,
      exp: iat + 1200,
      nonce: String(count).padStart(32, '0'),
      generation: 1,
      request: digestJson(spec as unknown as Json),
    },
  };
  const answer = await node.executor.submit({
    ...{ task: id, idempotencyKey: id, spec, agent: last.agent, subject: { from: alpha, origin: alpha, session } },
    ...{ chain: { hops: [last], ids: [alpha], last }, writs: [issueWrit(sender, last)] },
  });
  expect(answer.accepted).toBe(true);
  await runner.runOf(id);
  return node.executor.get(id) as Task;
}

function wish(parent: string, more: Partial<DelegateRequest> = {}): DelegateRequest {
  const spec: TaskSpec = { input: { kind: 'argv', argv: ['true'] }, profile: 'query' };
  return { to: 'gamma', spec, session: 'claimed', agent: 'claimed', parent, ...more };
}

const context = (id: string): TaskContext => node.database.withReadTx((tx) => node.executor.context(tx, id));
const state = (id: string) => node.origin.get(id)?.state;
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5);
  }
};

describe('a task that hands work on', () => {
  it('makes a child in the session, of the origin and by the agent of its context, whatever its caller says', async () => {
    const parent = await parentTask();
    const { accepted, task } = await node.origin.delegate(wish(parent.id));
    expect(accepted).toBe(true);
    expect(task).toMatchObject({
      ...{ parent: parent.id, session: 'session-of-alpha', origin: alpha, agent: 'agent-of-alpha', peer: GAMMA },
    });
    expect(submitted).toMatchObject([
      {
        ...{ task: task.id, session: 'session-of-alpha', agent: 'agent-of-alpha' },
        writs: [context(parent.id).writs[0], expect.stringMatching(/^writ1\./)],
      },
    ]);
  });

  it('begins a chain where its own node asked itself, with no more than it was granted', async () => {
    const text = `${policy()}[self]\nprofiles = ["relay"]\nworkspaces = ["app"]\nmax_depth = 1\n`;
    await node.engine.reload(text, { acceptWidening: true });
    node.authority.grantLease({ peer: 'self', profile: 'relay', durationMs: 3_600_000, issuedBy: 'person' });
    const own = await node.origin.delegate({ to: 'self', spec: SPEC, session: 'own', agent: 'me' });
    await runner.runOf(own.task.id);
    expect(context(own.task.id)).toMatchObject({ origin: 'self', ids: [], writs: [], depth: 1, workspaces: ['app'] });
    const { task } = await node.origin.delegate(wish(own.task.id));
    expect(task).toMatchObject({ parent: own.task.id, session: 'own', agent: 'me' });
    expect(task.origin).toBeUndefined();
    expect(submitted.at(-1)?.writs).toEqual([expect.stringMatching(/^writ1\./)]);
  });

  it('may hand on the meet of what it was granted, of what is granted now, and of the writs', async () => {
    const parent = await parentTask();
    expect(context(parent.id)).toMatchObject({
      ids: [alpha],
      writs: [expect.stringMatching(/^writ1\./)],
      closure: expect.not.arrayContaining(['edit_repo']),
      workspaces: ['app'],
      network: 'deny',
      maxOutputBytes: 4096,
      depth: 2,
      expiresAtMs: clock.nowMs() + 600_000,
    });
    await node.engine.reload(policy({ maxDepth: 1 }), { acceptWidening: true });
    expect(context(parent.id).depth).toBe(1);
    await node.engine.reload(policy({ maxDepth: 4 }), { acceptWidening: true });
    expect(context(parent.id).depth).toBe(2);
  });

  it.each([
    ['back to the origin', 'CHAIN_CYCLE', {}, { to: 'alpha' }],
    ['to its own node', 'CHAIN_CYCLE', {}, { to: 'self' }],
    ['where no hop is left', 'CHAIN_TOO_DEEP', { depth: 0 }, {}],
    [
      'with a workspace that it was not granted',
      'GRANT_EXCEEDED',
      {},
      { spec: { input: { kind: 'argv', argv: ['true'] }, profile: 'query', workspace: 'docs' } },
    ],
    [
      'beyond what this node lets out',
      'PROFILE_NOT_ALLOWED',
      {},
      { spec: { input: { kind: 'argv', argv: ['true'] }, profile: 'root' } },
    ],
  ] as const)('is refused %s (%s), and nothing goes out', async (_what, code, options, more) => {
    const parent = await parentTask(options);
    const asked = node.origin.delegate(wish(parent.id, more)).then(
      (answer) => (answer.accepted ? 'allowed' : answer.decision.code),
      (error: WritError) => error.code,
    );
    expect(await asked).toBe(code);
    expect(submitted).toEqual([]);
  });

  it('is refused once it does not run any more, and so is one that is no task', async () => {
    const parent = await parentTask();
    (await runner.runOf(parent.id)).exit(0);
    await until(() => node.executor.get(parent.id)?.state === 'completed');
    for (const id of [parent.id, 'nothing']) {
      await expect(node.origin.delegate(wish(id))).rejects.toMatchObject({ code: 'TASK_ENDED' });
    }
    expect(node.origin.list({ limit: 10 })).toEqual([]);
  });

  it('is refused while it is being ended', async () => {
    runner.obeyStops(false);
    const parent = await parentTask();
    const ending = node.executor.cancel(parent.id, 'alpha');
    await expect(node.origin.delegate(wish(parent.id))).rejects.toMatchObject({ code: 'TASK_ENDED' });
    (await runner.runOf(parent.id)).end({ kind: 'cancel', cause: 'alpha' });
    await ending;
  });

  it('has its keys for itself, and one child for each', async () => {
    const [one, two] = [await parentTask(), await parentTask()];
    const ask = async (parent: string) => (await node.origin.delegate(wish(parent, { idempotencyKey: 'k' }))).task.id;
    const first = await ask(one.id);
    expect(await ask(one.id)).toBe(first);
    expect(await ask(two.id)).not.toBe(first);
    const host: DelegateRequest = { ...wish(one.id), session: 'session-of-alpha', idempotencyKey: 'k' };
    const { parent: _, ...own } = host;
    expect((await node.origin.delegate(own)).task.parent).toBeUndefined();
    expect(submitted).toHaveLength(3);
  });

  it('may have only so many children at once', async () => {
    const parent = await parentTask();
    for (let i = 0; i < 64; i++) expect((await node.origin.delegate(wish(parent.id))).accepted).toBe(true);
    expect(await node.origin.delegate(wish(parent.id))).toMatchObject({ decision: { code: 'LIMIT_EXCEEDED' } });
  });
});

describe('what a task handed on', () => {
  it.each<[string, (parent: Task) => Promise<unknown> | unknown]>([
    ['ends well', async ({ id }) => (await runner.runOf(id)).exit(0)],
    ['fails', async ({ id }) => (await runner.runOf(id)).exit(1)],
    ['is cancelled', ({ id }) => void node.executor.cancel(id, 'alpha')],
    ['runs out of time', () => clock.advance(600_000)],
    ['loses its lease', () => node.authority.revokeLease(node.authority.listLeases({})[0]?.id ?? '', 'person')],
    ['loses its right', () => node.engine.reload(policy({ capabilities: '["read_repo"]' }), { acceptWidening: true })],
  ])('is cancelled down the chain when the task %s', async (_how, end) => {
    const parent = await parentTask();
    const other = await parentTask({ spec: { ...SPEC, ref: 'main' } });
    const child = (await node.origin.delegate(wish(parent.id))).task.id;
    const cousin = (await node.origin.delegate(wish(other.id))).task.id;
    await end(parent);
    await until(() => state(child) === 'cancelled');
    expect(cancelled).toContain(child);
    expect(node.origin.get(child)?.cancelRequestedAtMs).toBeDefined();
    const shared = ['runs out of time', 'loses its lease', 'loses its right'].includes(_how);
    if (!shared) expect(state(cousin)).not.toBe('cancelled');
  });

  it('is to be cancelled in the very transaction that ends the task', async () => {
    const parent = await parentTask();
    const child = (await node.origin.delegate(wish(parent.id))).task.id;
    const seen: unknown[] = [];
    node.executor.onEnd((tx) => {
      seen.push(node.mirrors.get(tx, child)?.cancelRequestedAtMs);
      if (seen.length === 1) throw new WritError('DATABASE_ERROR', 'the disk is full');
    });
    (await runner.runOf(parent.id)).exit(0);
    await until(() => node.executor.get(parent.id)?.state === 'completed');
    expect(seen).toHaveLength(2);
    expect(seen.every((at) => at !== undefined)).toBe(true);
  });
});

describe('what a task had handed on when its node died', () => {
  /** A child whose `Submit` may have reached gamma; the node dies, and another one stands on its database. */
  async function dieWhileHandingOn(): Promise<{ readonly parent: Task; readonly child: string }> {
    const parent = await parentTask();
    link.broken = true;
    const handing = node.origin.delegate(wish(parent.id, { idempotencyKey: 'k' })).catch(() => undefined);
    await until(() => link.tries > 0);
    const [child] = node.origin.list({ limit: 1 });
    const { files } = await runner.runOf(parent.id);
    await node.kill();
    await handing;
    // Nobody is left to let go of it.
    await rm(files.dir, { recursive: true });
    runner = createScriptedRunner({ clock });
    node = await boot(node.dir);
    return { parent, child: child?.id ?? '' };
  }

  it('is reached again once the task has its next attempt, which finds it under the same key', async () => {
    const { parent, child } = await dieWhileHandingOn();
    // Nothing runs yet, and gamma can be reached.
    link.broken = false;
    await node.origin.recover();
    for (let turn = 0; turn < 50; turn += 1) await until(() => true);
    expect(state(child)).toBe('submitted');
    expect([submitted, cancelled]).toEqual([[], []]);

    await node.executor.recover();
    await runner.runOf(parent.id);
    const again = node.origin.delegate(wish(parent.id, { idempotencyKey: 'k' }));
    await until(() => submitted.some(({ task }) => task === child));
    expect(await again).toMatchObject({ accepted: true, task: { id: child } });
    await until(() => node.origin.get(child)?.unreachable === false);
    expect(cancelled).toEqual([]);
  });

  it('is told to end, for as long as that takes, where policy grants the task nothing any more', async () => {
    const { parent, child } = await dieWhileHandingOn();
    await node.executor.recover();
    await runner.runOf(parent.id);
    link.broken = true;
    const noMore = policy({ capabilities: '["read_repo"]' });
    await node.engine.reload(noMore, { acceptWidening: true });
    await node.origin.recover();
    for (let turn = 0; turn < 50; turn += 1) await until(() => true);
    expect(state(child)).not.toBe('failed');
    link.broken = false;
    await until(() => cancelled.includes(child));
    await until(() => state(child) === 'cancelled');
  });
});

describe('the token of a task', () => {
  it('is there while it runs and may hand work on, and goes with its end', async () => {
    const parent = await parentTask();
    const run = await runner.runOf(parent.id);
    expect(run.spec.access).toEqual({ socket: `/run/${parent.id}`, token: `token of ${parent.id}` });
    expect([...tokens.keys()]).toEqual([parent.id]);
    run.exit(0);
    await until(() => node.executor.get(parent.id)?.state === 'completed');
    expect(tokens.size).toBe(0);
  });

  it('is not made for a task whose profile may not hand work on', async () => {
    const task = await parentTask({ spec: { input: { kind: 'argv', argv: ['true'] }, profile: 'query' } });
    expect((await runner.runOf(task.id)).spec.access).toBeUndefined();
    expect([...tokens, ...opened]).toEqual([]);
    await expect(node.origin.delegate(wish(task.id))).resolves.toMatchObject({ decision: { code: 'GRANT_EXCEEDED' } });
  });

  it('fails the start where its socket cannot be opened, and gives the use of the lease back', async () => {
    const { open } = doors;
    doors.open = async () => {
      throw new WritError('HOME_INSECURE', 'the folder is open to others');
    };
    count += 1;
    try {
      const starting = parentTask();
      await until(() => node.executor.list({ limit: 1 })[0]?.state === 'failed');
      starting.catch(() => undefined);
      expect(node.executor.list({ limit: 1 })[0]?.outcome).toMatchObject({ code: 'HOME_INSECURE' });
      expect(node.authority.listLeases({})[0]?.uses).toBe(0);
      expect(tokens.size).toBe(0);
    } finally {
      doors.open = open;
    }
  });
});
