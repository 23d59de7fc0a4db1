import { isWritError, WritError } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  createScriptedRunner,
  createTestNode,
  type ScriptedRunner,
  submitTrue,
  type TestNode,
} from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SubmitRequest, WatchedEvent } from '../types.ts';
import { MOST_QUEUED } from './intake.ts';

const START_MS = Date.UTC(2026, 0, 1);

const POLICY = `schema = 1
[node]
name = "box"
default_profile = "query"
[workspaces.app]
path = "/repo/app"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
timeout = "1m"
[profiles.agent]
capabilities = ["inspect_status"]
runner = "fixer"
isolation = "none"
[profiles.repo-dev]
capabilities = ["read_repo", "edit_repo", "run_tests"]
shell = "allow"
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
timeout = "1h"
[runners.fixer]
kind = "command"
argv = ["agent", "{prompt}"]
[self]
profiles = ["query", "agent", "repo-dev"]
workspaces = ["app"]
`;

/** A profile less for this machine's own agent. */
const WITHOUT_QUERY = POLICY.replace('profiles = ["query", "agent", "repo-dev"]', 'profiles = ["agent", "repo-dev"]');

let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;

beforeEach(async () => {
  clock = createFakeClock(START_MS);
  runner = createScriptedRunner({ clock });
  node = await createTestNode({ clock, runner, policy: POLICY, slots: 2 });
});

afterEach(() => node.close());

function request(task: string, more: Partial<SubmitRequest> = {}): SubmitRequest {
  return submitTrue(task, { idempotencyKey: `key-${task}`, ...more });
}

const REPO_DEV = { input: { kind: 'argv', argv: ['npm', 'test'] }, profile: 'repo-dev', workspace: 'app' } as const;

function lend(more: { durationMs?: number; maxUses?: number } = {}): string {
  return node.authority.grantLease({
    peer: 'self',
    profile: 'repo-dev',
    durationMs: 3_600_000,
    issuedBy: 'person',
    ...more,
  }).id;
}

async function collect(task: string, afterSeq = 0): Promise<WatchedEvent[]> {
  const events: WatchedEvent[] = [];
  for await (const event of node.executor.watch(task, afterSeq, new AbortController().signal)) events.push(event);
  return events;
}

/** Resolves when the task's events tell of a state. */
async function reached(task: string, state: string): Promise<void> {
  for await (const { event } of node.executor.watch(task, 0, new AbortController().signal)) {
    if (event.kind === 'state' && event.state === state) return;
  }
}

/** Resolves when the task is terminal. */
async function outcome(task: string): Promise<string> {
  await collect(task);
  const { state, outcome: result } = node.executor.get(task) ?? {};
  return `${state} ${result?.code ?? ''}`.trim();
}

describe('submit', () => {
  it('answers at once and runs the task as its effective profile', async () => {
    const answer = await node.executor.submit(request('t1'));
    expect(answer).toMatchObject({ accepted: true, task: { id: 't1', state: 'queued' } });
    const run = await runner.runOf('t1');
    expect(run.spec).toMatchObject({ runner: { kind: 'shell' }, timeoutMs: 60_000, isolation: 'none', epoch: 1 });
    expect(run.spec.commands).toEqual([]);
    run.exit(0);
    expect(await outcome('t1')).toBe('completed');
  });

  it('makes no task of what policy denies', async () => {
    const answer = await node.executor.submit(request('t1', { spec: REPO_DEV }));
    expect(answer).toMatchObject({ accepted: false, decision: { effect: 'deny', code: 'LEASE_REQUIRED' } });
    expect(node.executor.get('t1')).toBeUndefined();
    expect(runner.runs).toHaveLength(0);
  });

  it('gives a repeated request the same task and another request under its key an error', async () => {
    await node.executor.submit(request('t1'));
    const again = await node.executor.submit(request('t1'));
    expect(again).toMatchObject({ accepted: true, task: { id: 't1' } });
    const other = request('t1', { spec: { input: { kind: 'argv', argv: ['false'] } } });
    await expect(node.executor.submit(other)).rejects.toMatchObject({ code: 'WRIT_REPLAYED' });
    await runner.runOf('t1');
    expect(runner.runs).toHaveLength(1);
  });

  it('does not tell whose an id is that another sender uses', async () => {
    await node.executor.submit(request('t1'));
    const foreign = request('t1', { subject: { from: 'wn-other', origin: 'wn-other', session: 's1' } });
    const error = await node.executor.submit(foreign).catch((thrown: unknown) => thrown);
    expect(isWritError(error, 'CONFLICT')).toBe(true);
    expect(JSON.stringify(error) + String(error)).not.toContain('self');
  });

  it('refuses a kind of input that the runner does not take', async () => {
    const spec = { input: { kind: 'prompt', prompt: 'fix it' } } as const;
    const answer = await node.executor.submit(request('t1', { spec }));
    expect(answer).toMatchObject({ accepted: false, decision: { code: 'RUNNER_NOT_ALLOWED' } });
    const agent = await node.executor.submit(request('t2', { spec: { ...spec, profile: 'agent' } }));
    expect(agent.accepted).toBe(true);
    expect((await runner.runOf('t2')).spec.runner.kind).toBe('command');
  });

  it('takes a thousand requests that come one to five times each as a thousand tasks', async () => {
    const quick = createScriptedRunner({ clock, onStart: (run) => run.exit(0) });
    const busy = await createTestNode({ clock, runner: quick, policy: POLICY, slots: 8, inMemory: true });
    try {
      const sends = Array.from({ length: 1000 }, (_, i) => Array(1 + (i % 5)).fill(request(`t${i}`))).flat();
      sends.sort((a, b) => (a.task < b.task ? 1 : -1));
      await Promise.all(sends.map((one) => busy.executor.submit(one)));
      for (let i = 0; i < 1000; i++) {
        for await (const _ of busy.executor.watch(`t${i}`, 0, new AbortController().signal)) void _;
      }
      expect(quick.runs).toHaveLength(1000);
      expect(new Set(quick.runs.map(({ spec }) => spec.task)).size).toBe(1000);
      expect(busy.executor.list({ limit: 5000 })).toHaveLength(1000);
    } finally {
      await busy.close();
    }
  }, 120_000);
});

describe('queue', () => {
  it('runs no more than there are slots, then the next in order', async () => {
    for (const id of ['t1', 't2', 't3', 't4']) await node.executor.submit(request(id));
    const first = await runner.runOf('t1');
    await runner.runOf('t2');
    expect(node.executor.get('t3')?.state).toBe('queued');
    expect(runner.runs).toHaveLength(2);
    first.exit(0);
    (await runner.runOf('t3')).exit(0);
    await runner.runOf('t4');
    expect(runner.runs.map(({ spec }) => spec.task)).toEqual(['t1', 't2', 't3', 't4']);
    const waited = await Promise.all(['t3'].map((id) => collect(id)));
    expect(waited[0]?.map(({ event }) => (event.kind === 'state' ? event.message : undefined))).toContain(
      'waits for a slot: all 2 are taken, 0 before it',
    );
  });
});

describe('a sender that asks without end', () => {
  it('is refused what is more than may wait for a slot, until something of it is gone', async () => {
    const full = await createTestNode({ clock, runner, policy: POLICY, slots: 1, inMemory: true });
    try {
      for (let i = 0; i <= MOST_QUEUED; i++) await full.executor.submit(request(`t${i}`));
      const refused = await full.executor.submit(request('more'));
      expect(refused).toMatchObject({ accepted: false, decision: { effect: 'deny', code: 'LIMIT_EXCEEDED' } });
      expect(refused.decision?.message).toBe(
        '1000 tasks of agents of this machine wait for a slot here already, 1000 at most',
      );
      expect(full.executor.get('more')).toBeUndefined();
      // The person has a place of their own.
      const subject = { from: 'self', origin: 'self', session: 'key-mine' };
      expect(await full.executor.submit(request('mine', { subject, agent: 'cli' }))).toMatchObject({ accepted: true });
      // The same key is the same task, also now.
      expect(await full.executor.submit(request('t7'))).toMatchObject({ accepted: true });
      await full.executor.cancel('t7', 'person');
      expect(await full.executor.submit(request('more'))).toMatchObject({ accepted: true });
    } finally {
      await full.close();
    }
  }, 120_000);
});

describe('start', () => {
  it('fails the task with the code of the runner and returns the claimed use', async () => {
    lend({ maxUses: 1 });
    runner.failStarts(new WritError('COMMAND_NOT_ALLOWED', 'this command may not run'));
    await node.executor.submit(request('t1', { spec: REPO_DEV }));
    expect(await outcome('t1')).toBe('failed COMMAND_NOT_ALLOWED');
    expect(node.executor.get('t1')?.outcome?.ending).toBeUndefined();
    runner.failStarts(undefined);
    await node.executor.submit(request('t2', { spec: REPO_DEV }));
    (await runner.runOf('t2')).exit(0);
    expect(await outcome('t2')).toBe('completed');
    expect(await node.executor.submit(request('t3', { spec: REPO_DEV }))).toMatchObject({ accepted: false });
  });

  it('spends the use of a lease on a process that fails', async () => {
    lend({ maxUses: 1 });
    await node.executor.submit(request('t1', { spec: REPO_DEV }));
    (await runner.runOf('t1')).exit(1);
    expect(await outcome('t1')).toBe('failed WORKER_FAILED');
    expect(await node.executor.submit(request('t2', { spec: REPO_DEV }))).toMatchObject({ accepted: false });
  });

  it('does not start what a reload took away while it was queued', async () => {
    for (const id of ['t1', 't2', 't3']) await node.executor.submit(request(id));
    await runner.runOf('t2');
    await node.engine.reload(WITHOUT_QUERY, { acceptWidening: true });
    expect(await outcome('t3')).toBe('failed PROFILE_NOT_ALLOWED');
    expect(await outcome('t1')).toBe('failed PROFILE_NOT_ALLOWED');
    expect(runner.runs.map(({ spec }) => spec.task)).toEqual(['t1', 't2']);
    expect(node.executor.get('t3')?.outcome?.message).toContain('PROFILE_REQUIRED');
  });

  it('holds a reload back while a start is under way', async () => {
    let open: () => void = () => {};
    runner.holdStarts(new Promise((resolve) => (open = resolve)));
    await node.executor.submit(request('t1'));
    await reached('t1', 'running');
    let reloaded = false;
    const reload = node.engine.reload(WITHOUT_QUERY, { acceptWidening: true }).then(() => (reloaded = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(reloaded).toBe(false);
    open();
    await reload;
    expect(await outcome('t1')).toBe('failed PROFILE_NOT_ALLOWED');
    expect(runner.runs[0]?.stops).toHaveLength(1);
  });

  it('goes on under a reload that leaves it what it has', async () => {
    await node.executor.submit(request('t1'));
    const run = await runner.runOf('t1');
    await node.engine.reload(POLICY.replace('name = "box"', 'name = "other"'), { acceptWidening: true });
    run.exit(0);
    expect(await outcome('t1')).toBe('completed');
  });
});

describe('deadline', () => {
  it('ends a run at its timeout', async () => {
    await node.executor.submit(request('t1'));
    await runner.runOf('t1');
    clock.advance(60_000);
    expect(await outcome('t1')).toBe('failed TIMED_OUT');
  });

  it('ends a run at the expiry of its lease', async () => {
    lend({ durationMs: 600_000 });
    await node.executor.submit(request('t1', { spec: REPO_DEV }));
    const run = await runner.runOf('t1');
    expect(run.spec.timeoutMs).toBe(600_000);
    clock.advance(600_000);
    expect(await outcome('t1')).toBe('failed LEASE_EXPIRED');
  });

  it('takes the smaller bound of the origin', async () => {
    await node.executor.submit(request('t1', { spec: { input: { kind: 'argv', argv: ['true'] }, timeoutMs: 1000 } }));
    expect((await runner.runOf('t1')).spec.timeoutMs).toBe(1000);
  });
});

describe('lease revoked', () => {
  it('ends the running tasks of that lease and no others', async () => {
    const lease = lend();
    await node.executor.submit(request('t1', { spec: REPO_DEV }));
    await node.executor.submit(request('t2'));
    await runner.runOf('t1');
    const other = await runner.runOf('t2');
    node.authority.revokeLease(lease, 'person');
    expect(await outcome('t1')).toBe('failed LEASE_REVOKED');
    expect(other.ended).toBe(false);
  });

  it('ends queued tasks that nothing else allows', async () => {
    const lease = lend();
    for (const id of ['t1', 't2']) await node.executor.submit(request(id));
    await node.executor.submit(request('t3', { spec: REPO_DEV }));
    node.authority.revokeLease(lease, 'person');
    expect(await outcome('t3')).toBe('failed LEASE_REVOKED');
  });
});

describe('cancel', () => {
  it('ends a running task and answers only when its processes are gone', async () => {
    runner.obeyStops(false);
    await node.executor.submit(request('t1'));
    const run = await runner.runOf('t1');
    let answered = false;
    const cancel = node.executor.cancel('t1', 'person').finally(() => (answered = true));
    expect(node.executor.get('t1')?.cancelRequestedAtMs).toBe(START_MS);
    expect(run.stops).toEqual([{ kind: 'cancel', cause: 'person' }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    run.end({ kind: 'cancel', cause: 'person' });
    expect(await cancel).toMatchObject({ state: 'cancelled', outcome: { code: 'CANCELLED' } });
  });

  it('ends what it has started besides, first of all, and answers only when nothing of that is left', async () => {
    const ended: { task: string; settle: () => void }[] = [];
    await node.close();
    const end = (task: string) => new Promise<void>((settle) => ended.push({ task, settle }));
    node = await createTestNode({ clock, runner, policy: POLICY, slots: 2, sideWork: { end } });
    await node.executor.submit(request('t1'));
    await runner.runOf('t1');
    let isAnswered = false;
    const cancel = node.executor.cancel('t1', 'person').finally(() => (isAnswered = true));
    expect(ended.map(({ task }) => task)).toEqual(['t1']);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([ended.length, isAnswered, node.executor.get('t1')?.state]).toEqual([2, false, 'running']);
    for (const { settle } of ended) settle();
    expect((await cancel).state).toBe('cancelled');
  });

  it('is not overtaken by a late completion', async () => {
    runner.obeyStops(false);
    await node.executor.submit(request('t1'));
    const run = await runner.runOf('t1');
    const cancel = node.executor.cancel('t1', 'person');
    run.exit(0);
    expect((await cancel).state).toBe('cancelled');
  });

  it('changes nothing about a task that has ended', async () => {
    await node.executor.submit(request('t1'));
    (await runner.runOf('t1')).exit(0);
    await outcome('t1');
    expect((await node.executor.cancel('t1', 'person')).state).toBe('completed');
  });

  it('takes a queued task out before it starts', async () => {
    for (const id of ['t1', 't2', 't3']) await node.executor.submit(request(id));
    expect((await node.executor.cancel('t3', 'person')).state).toBe('cancelled');
    for (const id of ['t1', 't2']) (await runner.runOf(id)).exit(0);
    await outcome('t2');
    expect(runner.runs).toHaveLength(2);
  });

  it('stops a task that is just being started as soon as it runs', async () => {
    let open: () => void = () => {};
    runner.holdStarts(new Promise((resolve) => (open = resolve)));
    await node.executor.submit(request('t1'));
    await reached('t1', 'running');
    const cancel = node.executor.cancel('t1', 'person');
    open();
    expect((await cancel).state).toBe('cancelled');
  });

  it('says the same to everybody who asks', async () => {
    await node.executor.submit(request('t1'));
    await runner.runOf('t1');
    const all = await Promise.all([1, 2, 3].map(() => node.executor.cancel('t1', 'person')));
    expect(all.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    await expect(node.executor.cancel('nothing', 'person')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('watch', () => {
  it('gives stored and live events without a gap to many watchers, with the bytes', async () => {
    await node.executor.submit(request('t1'));
    const run = await runner.runOf('t1');
    run.output('stdout', 'one ');
    const watchers = [collect('t1'), collect('t1', 2), collect('t1', 4)];
    run.output('stderr', 'two ');
    run.output('stdout', 'three');
    clock.advance(10);
    run.output('stdout', '!');
    run.drop('stdout', 7);
    run.exit(0, { truncated: true });
    const [all, some] = await Promise.all(watchers);
    expect(all?.map(({ event }) => event.seq)).toEqual(all?.map((_, i) => i + 1));
    expect(some).toEqual(all?.slice(2));
    const text = all?.map(({ data }) => (data ? Buffer.from(data).toString() : '')).join('');
    expect(text).toBe('one two three!');
    expect(all?.map(({ event }) => event.kind).slice(-2)).toEqual(['dropped', 'outcome']);
    expect(node.executor.get('t1')?.outcome).toMatchObject({ code: 'RESULT_TOO_LARGE', truncated: true });
    expect(node.executor.get('t1')?.lastSeq).toBe(all?.length);
  });

  it('ends when it is told to and refuses what is no task', async () => {
    await node.executor.submit(request('t1'));
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const { event } of node.executor.watch('t1', 0, stop.signal)) {
      seen.push(event.seq);
      if (event.kind === 'state' && event.state === 'running') stop.abort();
    }
    expect(seen).toEqual([1, 2, 3, 4]);
    await expect(collect('nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('pages the transcript to its end', async () => {
    await node.executor.submit(request('t1'));
    const run = await runner.runOf('t1');
    run.output('stdout', 'abcdef');
    expect(await node.executor.readTranscript('t1', 0, 4)).toMatchObject({ next: 4, end: false });
    expect(await node.executor.readTranscript('t1', 4, 4)).toMatchObject({ next: 6, end: false });
    run.exit(0);
    await outcome('t1');
    expect(await node.executor.readTranscript('t1', 4, 4)).toMatchObject({ next: 6, end: true });
  });
});

describe('close', () => {
  it('lets what runs end within the grace period and starts nothing more', async () => {
    for (const id of ['t1', 't2', 't3']) await node.executor.submit(request(id));
    const run = await runner.runOf('t1');
    await runner.runOf('t2');
    const closed = node.executor.close(5000);
    run.exit(0);
    await outcome('t1');
    clock.advance(5000);
    await closed;
    expect(node.executor.get('t1')?.state).toBe('completed');
    expect(node.executor.get('t2')).toMatchObject({ state: 'cancelled' });
    expect(node.executor.get('t3')?.state).toBe('queued');
    await expect(node.executor.submit(request('t4'))).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});

describe('audit', () => {
  it('has an entry for every transition', async () => {
    await node.executor.submit(request('t1'));
    (await runner.runOf('t1')).exit(0);
    await outcome('t1');
    const actions = node.database
      .auditTail(100)
      .filter(({ subject, kind }) => kind === 'task' && subject === 't1')
      .map(({ action }) => action);
    expect(actions.reverse()).toEqual(['task.queued', 'task.running', 'task.completed']);
  });
});
