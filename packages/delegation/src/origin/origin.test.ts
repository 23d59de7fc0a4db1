import { CAPABILITIES } from '@writ/policy';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  askTrue,
  createPeerLink,
  createPeerServer,
  createScriptedRunner,
  createTestNode,
  type EventFault,
  type LinkCall,
  type LinkFault,
  NODE_IDS,
  type PeerLink,
  type ScriptedRunner,
  type TestNode,
} from '@writ/testkit/delegation';
import { passUntil } from '@writ/testkit/passing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DelegateRequest, WatchedEvent } from '../types.ts';

const { alpha, beta } = NODE_IDS;

const BETA_POLICY = `schema = 1
[node]
name = "beta"
default_profile = "query"
[workspaces.app]
path = "/repo/app"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[profiles.repo-dev]
capabilities = ["read_repo", "edit_repo", "run_tests"]
shell = "allow"
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
[peers.alpha]
id = "${alpha}"
profiles = ["query", "repo-dev"]
workspaces = ["app"]
`;

const ALPHA_POLICY = `schema = 1
[node]
name = "alpha"
[profiles.local]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[self]
profiles = ["local"]
[peers.beta]
id = "${beta}"
address = "127.0.0.1:1"
[peers.beta.outbound]
profiles = ["query", "repo-dev"]
workspaces = ["app"]
`;

/** What its writs pass on at most. */
const SMALL = { workspaces: ['app'], network: 'deny', maxOutputBytes: 1024 } as const;

const WITHOUT_BETA = ALPHA_POLICY.slice(0, ALPHA_POLICY.indexOf('[peers.beta]'));

let clock: FakeClock;
let runner: ScriptedRunner;
let executing: TestNode;
let asking: TestNode;
let link: PeerLink;
let callFault: (call: LinkCall, nth: number) => LinkFault | undefined;
let eventFault: (watched: WatchedEvent) => EventFault;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  callFault = () => undefined;
  eventFault = () => undefined;
  executing = await createTestNode({ clock, runner, policy: BETA_POLICY });
  link = createLink();
  asking = await createAsking();
});

afterEach(async () => {
  await asking.close();
  await executing.close();
});

function createLink(): PeerLink {
  const { executor } = executing;
  return createPeerLink({
    server: createPeerServer({ executor, sender: alpha, clock }),
    call: (call, nth) => callFault(call, nth),
    event: (watched) => eventFault(watched),
  });
}

function createAsking(dir?: string): Promise<TestNode> {
  const peers = { [beta]: link };
  const local = createScriptedRunner({ clock, onStart: (run) => run.exit(0) });
  return createTestNode({
    ...{ clock, policy: ALPHA_POLICY, selfId: alpha, runner: local, peers },
    grant: { grant: { ...SMALL, closure: [...CAPABILITIES, 'shell'].sort() } },
    ...(dir === undefined ? {} : { dir }),
  });
}

/** Lets time pass, a little each turn, until `promise` settles; real work goes on in between. */
async function passing<T>(promise: Promise<T>): Promise<T> {
  let settled = false;
  const end = (): void => {
    settled = true;
  };
  promise.then(end, end);
  while (!settled) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(20);
  }
  return promise;
}

const until = (condition: () => boolean): Promise<void> => passUntil(clock, condition);

async function collect(task: string, afterSeq = 0): Promise<WatchedEvent[]> {
  const events: WatchedEvent[] = [];
  for await (const event of asking.origin.watch(task, afterSeq, new AbortController().signal)) events.push(event);
  return events;
}

async function accepted(request: DelegateRequest = askTrue()): Promise<string> {
  const answer = await passing(asking.origin.delegate(request));
  expect(answer.accepted).toBe(true);
  return answer.task.id;
}

const text = (events: readonly WatchedEvent[]): string =>
  events.map(({ data }) => (data ? Buffer.from(data).toString() : '')).join('');
const gapless = (events: readonly WatchedEvent[]): boolean => events.every(({ event }, i) => event.seq === i + 1);

describe('delegate', () => {
  it('hands a task over and brings everything back', async () => {
    const id = await accepted();
    const watching = collect(id);
    const run = await runner.runOf(id);
    run.output('stdout', 'hello');
    run.exit(3);
    const events = await passing(watching);
    expect(gapless(events)).toBe(true);
    expect(text(events)).toBe('hello');
    expect(asking.origin.get(id)).toMatchObject({
      state: 'failed',
      accepted: true,
      unreachable: false,
      outcome: { code: 'WORKER_FAILED', ending: { kind: 'exit', exitCode: 3 } },
      granted: { effectiveProfile: 'query' },
    });
    expect(await asking.origin.readTranscript(id, 0, 100)).toMatchObject({ next: 5, end: true });
    expect(run.spec.maxOutputBytes).toBe(1024);
  });

  it('costs three commits at each end: one to begin, one to end, one for the receipt', async () => {
    const before = [asking.commits(), executing.commits()];
    // No time passes, so that nothing is stored because it waited.
    const { task } = await asking.origin.delegate(askTrue());
    (await runner.runOf(task.id)).exit(0);
    await collect(task.id);
    expect(asking.origin.get(task.id)?.state).toBe('completed');
    while (asking.origin.result(task.id)?.acknowledgedAtMs === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([asking.commits(), executing.commits()].map((now, i) => now - (before[i] ?? 0))).toEqual([3, 3]);
  });

  it('tells of a state that nothing follows, and of output at once', async () => {
    const { task } = await asking.origin.delegate(askTrue());
    const run = await runner.runOf(task.id);
    expect(asking.origin.get(task.id)?.state).not.toBe('running');
    clock.advance(10);
    await asking.origin.watch(task.id, 3, new AbortController().signal)[Symbol.asyncIterator]().next();
    expect(asking.origin.get(task.id)?.state).toBe('running');
    run.output('stdout', 'first');
    const more = asking.origin.watch(task.id, asking.origin.get(task.id)?.cursor ?? 0, new AbortController().signal);
    expect((await more[Symbol.asyncIterator]().next()).value?.event.kind).toBe('output');
  });

  it('runs what is for this node itself through the same two ends', async () => {
    const spec = { input: { kind: 'argv', argv: ['true'] }, profile: 'local' } as const;
    const id = await accepted(askTrue({ to: 'self', spec }));
    expect((await passing(collect(id))).at(-1)?.event.kind).toBe('outcome');
    expect(asking.origin.get(id)?.state).toBe('completed');
    expect(asking.executor.get(id)).toMatchObject({ sender: 'self', state: 'completed' });
  });

  it('names the known peers where there is none of that name', async () => {
    await expect(asking.origin.delegate(askTrue({ to: 'bet' }))).rejects.toMatchObject({
      code: 'PEER_UNKNOWN',
      nextSteps: ['did you mean `beta`', 'known peers: beta'],
    });
    expect(asking.origin.list({ limit: 10 })).toHaveLength(0);
  });

  it('keeps what its own policy does not let out', async () => {
    const spec = { input: { kind: 'argv', argv: ['true'] }, profile: 'root' } as const;
    const answer = await asking.origin.delegate(askTrue({ spec }));
    expect(answer).toMatchObject({ accepted: false, decidedBy: 'here', decision: { effect: 'deny' } });
    expect(answer.task).toMatchObject({ state: 'failed', accepted: false });
    expect(await asking.origin.delegate(askTrue({ spec, idempotencyKey: answer.task.idempotencyKey }))).toEqual(answer);
    expect(link.calls.submit).toBe(0);
  });

  it('keeps the code of a refusal by the peer', async () => {
    const spec = { input: { kind: 'argv', argv: ['true'] }, profile: 'repo-dev', workspace: 'app' } as const;
    const answer = await passing(asking.origin.delegate(askTrue({ spec })));
    expect(answer).toMatchObject({
      accepted: false,
      decidedBy: 'peer',
      decision: { code: 'LEASE_REQUIRED' },
      task: { state: 'failed', outcome: { code: 'LEASE_REQUIRED' } },
    });
    expect((await collect(answer.task.id)).map(({ event }) => event.kind)).toEqual(['outcome']);
    expect(await asking.origin.delegate(askTrue({ spec, idempotencyKey: answer.task.idempotencyKey }))).toEqual(answer);
    expect(link.calls.submit).toBe(1);
  });

  it('gives one key one task', async () => {
    const first = accepted(askTrue({ idempotencyKey: 'k' }));
    const second = accepted(askTrue({ idempotencyKey: 'k' }));
    expect(await first).toBe(await second);
    expect(await accepted(askTrue({ idempotencyKey: 'k' }))).toBe(await first);
    expect(await accepted(askTrue({ idempotencyKey: 'k', session: 's2' }))).not.toBe(await first);
    const other = { input: { kind: 'argv', argv: ['false'] }, profile: 'query' } as const;
    const replay = asking.origin.delegate(askTrue({ idempotencyKey: 'k', spec: other }));
    await expect(replay).rejects.toMatchObject({ code: 'WRIT_REPLAYED' });
  });

  it('gives one key one peer, also one that is no peer any more', async () => {
    const id = await accepted(askTrue({ idempotencyKey: 'k' }));
    (await passing(runner.runOf(id))).exit(0);
    await passing(collect(id));
    const again = (to: string) => asking.origin.delegate(askTrue({ to, idempotencyKey: 'k' }));
    expect((await again(beta)).task.id).toBe(id);
    await expect(again('self')).rejects.toMatchObject({ code: 'WRIT_REPLAYED' });
    await expect(again('gamma')).rejects.toMatchObject({ code: 'PEER_UNKNOWN' });
    await asking.engine.reload(WITHOUT_BETA, { acceptWidening: true });
    expect((await again('beta')).task.id).toBe(id);
    const beta2 = ALPHA_POLICY.replace(beta, NODE_IDS.gamma);
    await asking.engine.reload(beta2, { acceptWidening: true });
    await expect(again('beta')).rejects.toMatchObject({ code: 'WRIT_REPLAYED' });
    expect(link.calls.submit).toBe(1);
  });

  it.each<[string, LinkFault]>([
    ['the request is lost', { kind: 'drop-request' }],
    ['the answer is lost', { kind: 'drop-answer' }],
    ['the request comes twice', { kind: 'duplicate' }],
  ])('makes one task when %s', async (_name, fault) => {
    callFault = (call, nth) => (call === 'submit' && nth <= 2 ? fault : undefined);
    const id = await accepted();
    (await passing(runner.runOf(id))).exit(0);
    await passing(collect(id));
    expect(executing.executor.list({ limit: 10 }).map((task) => task.id)).toEqual([id]);
    expect(runner.runs).toHaveLength(1);
  });

  it('tells at once that nothing was sent to a peer that is not there', async () => {
    callFault = () => ({ kind: 'drop-request', certain: true });
    const error = await passing(asking.origin.delegate(askTrue()).catch((thrown: unknown) => thrown));
    expect(error).toMatchObject({ code: 'UNREACHABLE', details: { sent: false } });
    expect(link.calls.submit).toBe(3);
    expect(asking.origin.list({ limit: 10 })).toMatchObject([{ state: 'failed', outcome: { code: 'UNREACHABLE' } }]);
  });

  it('makes another attempt under a key of which nothing was sent, and only then', async () => {
    const request = askTrue({ idempotencyKey: 'k' });
    callFault = () => ({ kind: 'drop-request', certain: true });
    const calls = [asking.origin.delegate(request), asking.origin.delegate(request)];
    const ends = passing(Promise.allSettled(calls));
    for (const end of await ends) expect(end).toMatchObject({ reason: { code: 'UNREACHABLE' } });
    expect(link.calls.submit).toBe(3);
    const [first] = asking.origin.list({ limit: 10 });
    expect(first?.idempotencyKey).toBe(`k (unused by ${first?.id})`);
    callFault = () => undefined;
    const id = await accepted(request);
    expect(id).not.toBe(first?.id);
    expect(await accepted(request)).toBe(id);
    expect(asking.origin.list({ limit: 10 }).map((mirror) => mirror.id)).toEqual([id, first?.id]);
    expect(asking.origin.get(first?.id ?? '')).toEqual(first);
  });

  it('goes on in the background where the peer may have it', async () => {
    callFault = (call) => (call === 'submit' ? { kind: 'drop-request' } : undefined);
    const answer = await passing(asking.origin.delegate(askTrue()));
    expect(answer).toMatchObject({ accepted: true, task: { state: 'submitted', unreachable: true, accepted: false } });
    callFault = () => undefined;
    const run = await passing(runner.runOf(answer.task.id));
    run.exit(0);
    await passing(collect(answer.task.id));
    expect(asking.origin.get(answer.task.id)).toMatchObject({ state: 'completed', unreachable: false });
  });
});

describe('a link that breaks', () => {
  /** Runs one task whose watch breaks as `fault` says at every event, and gives what the origin has. */
  async function runWith(fault: (watched: WatchedEvent, nth: number) => EventFault): Promise<WatchedEvent[]> {
    const seen = new Map<number, number>();
    eventFault = (watched) => {
      const nth = (seen.get(watched.event.seq) ?? 0) + 1;
      seen.set(watched.event.seq, nth);
      return fault(watched, nth);
    };
    const id = await accepted();
    const run = await passing(runner.runOf(id));
    for (const word of ['a', 'b', 'c']) {
      run.output('stdout', word);
      run.output('stderr', word.toUpperCase());
      clock.advance(20);
    }
    run.exit(0);
    const events = await passing(collect(id));
    const own = executing.executor.get(id);
    expect(events).toHaveLength(own?.lastSeq ?? -1);
    expect(asking.origin.get(id)).toMatchObject({ state: 'completed', cursor: own?.lastSeq, unreachable: false });
    return events;
  }

  it.each<[string, EventFault]>([
    ['before each event', 'break-before'],
    ['after each event', 'break-after'],
    ['while each event comes twice', 'duplicate'],
    ['while no event has its bytes', 'strip-data'],
  ])('loses and doubles nothing %s', async (_name, fault) => {
    const events = await runWith((_watched, nth) => (nth === 1 || fault === 'strip-data' ? fault : undefined));
    expect(gapless(events)).toBe(true);
    expect(text(events)).toBe('aAbBcC');
  });

  it('shows that the executor is out of reach, and that it is back', async () => {
    const id = await accepted();
    const run = await passing(runner.runOf(id));
    link.down();
    await until(() => asking.origin.get(id)?.unreachable === true);
    run.output('stdout', 'meanwhile');
    link.up();
    await until(() => asking.origin.get(id)?.unreachable === false);
    expect(asking.origin.get(id)?.state).toBe('running');
    run.exit(0);
    expect(text(await passing(collect(id)))).toBe('meanwhile');
  });

  it('gives up a silent executor a day after the deadline', async () => {
    const input = { kind: 'argv', argv: ['true'] } as const;
    const id = await accepted(askTrue({ spec: { input, profile: 'query', timeoutMs: 1000 } }));
    link.down();
    await until(() => asking.origin.get(id)?.unreachable === true);
    clock.advance(86_400_000 + 60_000);
    await until(() => asking.origin.get(id)?.state === 'lost');
    expect((await collect(id)).at(-1)?.event).toMatchObject({ kind: 'outcome', outcome: { code: 'LOST' } });
  });

  it('ends as lost where the executor does not know the task any more', async () => {
    const id = await accepted();
    await until(() => asking.origin.get(id)?.state === 'running');
    const { WritError } = await import('@writ/core');
    link.down();
    await until(() => asking.origin.get(id)?.unreachable === true);
    callFault = () => {
      throw new WritError('NOT_FOUND', 'no such task');
    };
    link.up();
    await until(() => asking.origin.get(id)?.state === 'lost');
  });
});

describe('cancel', () => {
  it('is carried to the executor and back', async () => {
    const id = await accepted();
    const run = await passing(runner.runOf(id));
    expect(await passing(asking.origin.cancel(id, 'person'))).toMatchObject({ state: 'cancelled' });
    expect(run.stops).toHaveLength(1);
    expect((await asking.origin.cancel(id, 'person')).state).toBe('cancelled');
    await expect(asking.origin.cancel('nothing', 'person')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is carried out when the link returns', async () => {
    const id = await accepted();
    const run = await passing(runner.runOf(id));
    link.down();
    const mirror = await passing(asking.origin.cancel(id, 'person'));
    expect(mirror).toMatchObject({ state: 'running', unreachable: true });
    expect(run.stops).toHaveLength(0);
    link.up();
    await until(() => asking.origin.get(id)?.state === 'cancelled');
    expect(run.stops).toHaveLength(1);
  });

  it('reaches a task that was accepted and of which no event came yet', async () => {
    let open: () => void = () => {};
    const until = new Promise<void>((resolve) => {
      open = resolve;
    });
    callFault = (call, nth) => (call === 'watch' && nth === 1 ? { kind: 'delay', until } : undefined);
    const id = await accepted();
    const run = await passing(runner.runOf(id));
    const cancel = asking.origin.cancel(id, 'person');
    open();
    expect((await passing(cancel)).state).toBe('cancelled');
    expect(run.stops).toHaveLength(1);
  });

  it('is sent again where its answer is lost', async () => {
    callFault = (call, nth) => (call === 'cancel' && nth === 1 ? { kind: 'drop-request' } : undefined);
    const id = await accepted();
    await passing(runner.runOf(id));
    await passing(asking.origin.cancel(id, 'person'));
    await until(() => asking.origin.get(id)?.state === 'cancelled');
  });

  it.each([['drop-request'], ['drop-answer']] as const)('reaches a task of which no answer came (%s)', async (kind) => {
    callFault = (call) => (call === 'submit' ? { kind } : undefined);
    const { task } = await passing(asking.origin.delegate(askTrue()));
    await passing(asking.origin.cancel(task.id, 'person'));
    await until(() => asking.origin.get(task.id)?.state === 'cancelled');
    const there = executing.executor.get(task.id);
    expect(there?.state).toBe(kind === 'drop-answer' ? 'cancelled' : undefined);
  });
});

describe('trust', () => {
  it.each([
    ['removed', WITHOUT_BETA],
    ['disabled', ALPHA_POLICY.replace('[peers.beta]\n', '[peers.beta]\nenabled = false\n')],
  ])('ends the tasks of a peer that is %s here, and tells it', async (_name, policy) => {
    const id = await accepted();
    const run = await passing(runner.runOf(id));
    await asking.engine.reload(policy, { acceptWidening: true });
    await until(() => asking.origin.get(id)?.state === 'failed');
    expect(asking.origin.get(id)?.outcome?.code).toBe('TRUST_REVOKED');
    await until(() => run.stops.length > 0);
  });
});

describe('recover', () => {
  /** The origin dies and comes back in the same folder. */
  async function restart(): Promise<void> {
    const { dir } = asking;
    await asking.kill();
    asking = await createAsking(dir);
    await asking.origin.recover();
  }

  it('hands over what was stored and never sent', async () => {
    callFault = (call) => (call === 'submit' ? { kind: 'drop-request' } : undefined);
    const { task } = await passing(asking.origin.delegate(askTrue()));
    callFault = () => undefined;
    await restart();
    (await passing(runner.runOf(task.id))).exit(0);
    await passing(collect(task.id));
    expect(asking.origin.get(task.id)?.state).toBe('completed');
  });

  it('takes up a task that runs, without a gap', async () => {
    const id = await accepted();
    const run = await passing(runner.runOf(id));
    run.output('stdout', 'one ');
    await until(() => (asking.origin.get(id)?.cursor ?? 0) >= 5);
    await restart();
    run.output('stdout', 'two');
    run.exit(0);
    const events = await passing(collect(id));
    expect(gapless(events)).toBe(true);
    expect(text(events)).toBe('one two');
  });

  it('takes over a result that came while it was away', async () => {
    const id = await accepted();
    const run = await passing(runner.runOf(id));
    const { dir } = asking;
    await asking.kill();
    run.exit(0);
    asking = await createAsking(dir);
    await asking.origin.recover();
    await until(() => asking.origin.get(id)?.state === 'completed');
  });

  it('carries a cancel out that was stored before', async () => {
    const id = await accepted();
    const run = await passing(runner.runOf(id));
    link.down();
    await passing(asking.origin.cancel(id, 'person'));
    await asking.kill();
    link.up();
    asking = await createAsking(asking.dir);
    await asking.origin.recover();
    await until(() => asking.origin.get(id)?.state === 'cancelled');
    expect(run.stops).toHaveLength(1);
  });

  it('leaves what has ended alone', async () => {
    const id = await accepted();
    (await passing(runner.runOf(id))).exit(0);
    await passing(collect(id));
    const before = link.calls.watch;
    await restart();
    expect(link.calls.watch).toBe(before);
  });
});
