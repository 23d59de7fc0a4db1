import { sha256Hex, silentLogger, WritError } from '@writ/core';
import type { Execution } from '@writ/lease-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateFixture, GATE_POLICY, type GateFixture, HOUR_MS, IN_A, IN_B } from '../testing/gate-fixture.ts';
import { createManualRunner, DONE, RIGHT_AWAY } from '../testing/manual-runner.ts';
import { continueExecutions, type WorkerParts } from './pass.ts';
import type { Proposal } from './types.ts';
import { createContinuationWorker } from './worker.ts';

const READ = { class: 'read', needs: [], target: undefined } as const;
describe('the continuation worker', () => {
  let at: GateFixture;
  let manual: ReturnType<typeof createManualRunner>;
  let changed: string[];
  let heldUp: Map<string, string>;
  let parts: WorkerParts;
  const propose = (change: Partial<Proposal> = {}): Execution => {
    const outcome = at.propose(change);
    if (!outcome.proposed) throw new Error(outcome.refusal.message);
    return outcome.execution;
  };
  const inB = () => {
    const subject = { from: 'self', origin: IN_B.origin, session: 'b' };
    return { asker: IN_B, basis: { subject, ask: { chain: [], profile: 'ops', workspace: 'app', input: 'argv' } } };
  };
  const stateOf = ({ id }: Execution) => at.gate.executions.get(id)?.state;
  beforeEach(async () => {
    at = await createGateFixture();
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
    manual = createManualRunner();
    changed = [];
    heldUp = new Map();
    parts = {
      ...{ executions: at.gate.executions, engine: at.engine, runner: manual.runner, logger: silentLogger },
      ...{ clock: RIGHT_AWAY, stopping: new AbortController().signal },
      onHeldUp: (id, why) => (why === undefined ? heldUp.delete(id) : heldUp.set(id, why)),
      onChanged: ({ id }) => changed.push(id),
    };
  });
  afterEach(() => at.close());

  it('starts what was approved, stores how it ended, and lets go of what it held', async () => {
    const execution = propose();
    expect((await continueExecutions(parts)).started).toEqual([]);
    at.answer(execution.approval!, 'approve');
    const { started } = await continueExecutions(parts);
    expect([started.map(({ id }) => id), stateOf(execution)]).toEqual([[execution.id], 'running']);
    manual.ends.get(execution.id)?.resolve(DONE);
    await started[0]?.ended;
    expect([stateOf(execution), manual.calls]).toEqual(['completed', ['prepare a', 'spawn a', 'release a']]);
  });

  it('starts A’s command and leaves B’s waiting, of one agent in two sessions', async () => {
    at.answer(propose().approval!, 'approve', 'session');
    const [a, b] = [propose({ digest: sha256Hex('reload') }), propose({ ...inB() })];
    const { started } = await continueExecutions(parts);
    expect(started).toHaveLength(2);
    expect([stateOf(a), stateOf(b)]).toEqual(['running', 'pending_approval']);
    expect(manual.calls).not.toContain('prepare b');
  });

  it('looks for each item right before its start: a window of one use starts one of two', async () => {
    const first = propose();
    at.answer(first.approval!, 'approve', 'session');
    const window = at.gate.windows.list({})[0]!;
    const items = [1, 2].map((i) => propose({ digest: sha256Hex(`item ${i}`) }));
    at.database.withWriteTx((tx) => tx.prepare('UPDATE window SET max_uses = 1').run());
    const { started, seen } = await continueExecutions(parts);
    expect([started.length, seen]).toEqual([2, 3]);
    expect(items.map(stateOf)).toEqual(['running', 'pending_approval']);
    expect(at.database.withReadTx((tx) => at.options.windows.get(tx, window.id)?.uses)).toBe(1);
  });

  it('does not start what closes between the look and the start', async () => {
    const first = propose();
    at.answer(first.approval!, 'approve', 'session');
    const second = propose({ digest: sha256Hex('reload') });
    manual.before.prepare = async ({ id }) => {
      if (id === second.id) at.gate.windows.close(at.gate.windows.list({})[0]!.id, 'ap-1');
    };
    await continueExecutions(parts);
    expect([stateOf(first), stateOf(second)]).toEqual(['running', 'pending_approval']);
  });

  it.each(['session', 'policy'] as const)('does not start what loses its %s meanwhile', async (what) => {
    const execution = propose();
    at.answer(execution.approval!, 'approve');
    manual.before.prepare = async () => {
      if (what === 'session') at.gate.endSession(execution, 'self', []);
      else await at.engine.reload(GATE_POLICY.replace('"manage_services", ', ''), { acceptWidening: false });
    };
    await continueExecutions(parts);
    expect(stateOf(execution)).toBe(what === 'session' ? 'cancelled' : 'failed');
    expect(manual.calls).toEqual(['prepare a', 'release a']);
  });

  it('holds a reload back from the last look to the process', async () => {
    const execution = propose();
    at.answer(execution.approval!, 'approve');
    const order: string[] = [];
    let reload: Promise<void> = Promise.resolve();
    manual.before.spawn = async () => {
      reload = at.engine
        .reload(GATE_POLICY.replace('"manage_services", ', ''), { acceptWidening: false })
        .then(() => void order.push('reloaded'));
      await new Promise((resolve) => setImmediate(resolve));
      order.push('spawned');
    };
    await continueExecutions(parts);
    await reload;
    expect(order).toEqual(['spawned', 'reloaded']);
  });

  it('does not run what changed, and says so', async () => {
    const execution = propose();
    at.answer(execution.approval!, 'approve');
    manual.digests.set(execution.id, sha256Hex('edited'));
    await continueExecutions(parts);
    expect(at.gate.executions.get(execution.id)).toMatchObject({
      state: 'failed',
      outcome: { code: 'CHANGED_SINCE_APPROVAL' },
    });
    expect([changed, manual.calls]).toEqual([[execution.id], ['prepare a', 'release a']]);
  });

  it('ends what cannot be resolved or spawned any more, and goes on with the next', async () => {
    const [one, two, three] = [1, 2, 3].map((i) => propose({ digest: sha256Hex(`item ${i}`) })) as [
      Execution,
      Execution,
      Execution,
    ];
    for (const { approval } of [one, two, three]) at.answer(approval!, 'approve');
    manual.before.prepare = async ({ id }) => {
      if (id === one.id) throw new WritError('BAD_REQUEST', 'its program is gone');
    };
    manual.before.spawn = async (id) => {
      if (id === two.id) throw new WritError('RUNNER_UNAVAILABLE', 'no process');
    };
    const { started } = await continueExecutions(parts);
    expect([one, two, three].map(stateOf)).toEqual(['failed', 'failed', 'running']);
    expect(started.map(({ id }) => id)).toEqual([three.id]);
    expect(at.authority.listLeases({})[0]?.uses).toBe(1);
  });

  it('does not know the end of one whose runner breaks, and never tries it again', async () => {
    const execution = propose();
    at.answer(execution.approval!, 'approve');
    const { started } = await continueExecutions(parts);
    manual.ends.get(execution.id)?.reject(new Error('the runner is gone'));
    await started[0]?.ended;
    expect(at.gate.executions.get(execution.id)).toMatchObject({ state: 'outcome_unknown', outcome: { code: 'LOST' } });
    expect((await continueExecutions(parts)).seen).toBe(0);
  });

  it.each(['finish', 'notSpawned'] as const)('stores an end until the database takes it (%s)', async (step) => {
    const execution = propose();
    at.answer(execution.approval!, 'approve');
    if (step === 'notSpawned') {
      manual.before.spawn = async () => {
        throw new WritError('RUNNER_UNAVAILABLE', 'no process');
      };
    }
    let faults = 3;
    const executions: WorkerParts['executions'] = {
      ...at.gate.executions,
      [step](...args: Parameters<WorkerParts['executions'][typeof step]>) {
        if (faults-- > 0) throw new WritError('DATABASE_ERROR', 'the disk is full');
        return (at.gate.executions[step] as (...given: typeof args) => Execution | undefined)(...args);
      },
    };
    const { started, unstored } = await continueExecutions({ ...parts, executions });
    manual.ends.get(execution.id)?.resolve(DONE);
    await Promise.all([...started, ...unstored].map(({ ended }) => ended));
    expect([stateOf(execution), faults]).toEqual([step === 'finish' ? 'completed' : 'failed', -1]);
    expect(manual.calls.at(-1)).toBe('release a');
  });

  it('lets go of what it held, and gives up at the end of the node, where an end is never stored', async () => {
    const execution = propose();
    at.answer(execution.approval!, 'approve');
    const finish = () => {
      throw new WritError('DATABASE_ERROR', 'the disk is full');
    };
    const worker = createContinuationWorker({ ...parts, executions: { ...at.gate.executions, finish } });
    worker.wake();
    while (!manual.ends.has(execution.id)) await new Promise((resolve) => setImmediate(resolve));
    manual.ends.get(execution.id)?.resolve(DONE);
    while (!manual.calls.includes('release a')) await new Promise((resolve) => setImmediate(resolve));
    await worker.close();
    expect([stateOf(execution), at.gate.executions.recover()]).toEqual(['running', 1]);
  });

  it('sees those behind a full pass that cannot be taken up', async () => {
    const broken = new Set<string>();
    const of = (i: number) => ({ ...READ, digest: sha256Hex(`item ${i}`), asker: i % 2 === 0 ? IN_A : IN_B });
    const items = Array.from({ length: 70 }, (_, i) => propose(of(i)));
    for (const { id } of items.slice(0, 64)) broken.add(id);
    const start: WorkerParts['executions']['start'] = (id, digest) => {
      if (broken.has(id)) throw new WritError('DATABASE_ERROR', 'a row that nothing can be done with');
      return at.gate.executions.start(id, digest);
    };
    const worker = createContinuationWorker({ ...parts, executions: { ...at.gate.executions, start } });
    worker.wake();
    while (manual.ends.size < 6) await new Promise((resolve) => setImmediate(resolve));
    for (const { resolve } of manual.ends.values()) resolve(DONE);
    await worker.close();
    expect(items.slice(64).map(stateOf)).toEqual(Array.from({ length: 6 }, () => 'completed'));
    expect(items.slice(0, 64).every((item) => stateOf(item) === 'proposed')).toBe(true);
  });

  it('prepares for each lane by itself: what one of them has waiting keeps no other waiting', async () => {
    const slow = propose({ ...READ, digest: sha256Hex('slow') });
    const behind = propose({ ...READ, digest: sha256Hex('behind') });
    const id = 'key-1';
    at.database.withWriteTx((tx) => at.options.sessions.start(tx, { origin: IN_A.origin, id, agent: 'agent' }));
    const call = propose({ ...READ, digest: sha256Hex('call'), asker: { ...IN_A, session: id } });
    let isRead = (): void => {};
    manual.before.prepare = ({ id: of }) =>
      of === slow.id ? new Promise((resolve) => (isRead = resolve)) : Promise.resolve();
    const worker = createContinuationWorker(parts);
    worker.wake();
    while (!manual.ends.has(call.id)) await new Promise((resolve) => setImmediate(resolve));
    expect([slow, behind].map(stateOf)).toEqual(['proposed', 'proposed']);
    isRead();
    while (manual.ends.size < 3) await new Promise((resolve) => setImmediate(resolve));
    for (const { resolve } of manual.ends.values()) resolve(DONE);
    await worker.close();
    expect([slow, behind, call].map(stateOf)).toEqual(['completed', 'completed', 'completed']);
  });

  it('starts nothing more once it is closed, and leaves what waits as it is, with what it stands on', async () => {
    const items = [1, 2, 3].map((n) => propose({ ...READ, digest: sha256Hex(`item ${n}`) }));
    let isRead = (): void => {};
    manual.before.prepare = () => new Promise((resolve) => (isRead = resolve));
    const worker = createContinuationWorker(parts);
    worker.wake();
    while (manual.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const closed = worker.close();
    isRead();
    await closed;
    expect(items.map(stateOf)).toEqual(['proposed', 'proposed', 'proposed']);
    expect(manual.calls).toEqual(['prepare a', 'release a']);
  });

  it('runs one pass at a time, however often it is woken, and none after it was closed', async () => {
    const worker = createContinuationWorker(parts);
    const [one, two] = [1, 2].map((i) => propose({ digest: sha256Hex(`item ${i}`) })) as [Execution, Execution];
    at.answer(one.approval!, 'approve');
    manual.before.prepare = async ({ id }) => {
      if (id !== one.id) return;
      at.answer(two.approval!, 'approve');
      for (let i = 0; i < 5; i++) worker.wake();
    };
    manual.before.spawn = async (id) => {
      queueMicrotask(() => setImmediate(() => manual.ends.get(id)?.resolve(DONE)));
    };
    worker.wake();
    await worker.idle();
    expect([one, two].map(stateOf)).toEqual(['completed', 'completed']);
    expect(manual.calls.filter((call) => call === 'prepare a')).toHaveLength(2);
    const late = propose({ digest: sha256Hex('late') });
    at.answer(late.approval!, 'approve');
    await worker.close();
    worker.wake();
    await worker.idle();
    expect(stateOf(late)).toBe('proposed');
  });
});
