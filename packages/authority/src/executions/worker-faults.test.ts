import { type Logger, sha256Hex, WritError } from '@writ/core';
import type { Execution } from '@writ/lease-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateFixture, type GateFixture, HOUR_MS } from '../testing/gate-fixture.ts';
import { createManualRunner, DONE, RIGHT_AWAY } from '../testing/manual-runner.ts';
import { continueExecutions, type WorkerParts } from './pass.ts';
import { createContinuationWorker } from './worker.ts';

const READ = { class: 'read', needs: [], target: undefined } as const;

describe('the continuation worker, where something fails', () => {
  let at: GateFixture;
  let manual: ReturnType<typeof createManualRunner>;
  let changed: string[];
  let heldUp: Map<string, string>;
  let logged: unknown[];
  let parts: WorkerParts;
  const item = (n: number): Execution => {
    const outcome = at.propose({ ...READ, digest: sha256Hex(`item ${n}`) });
    if (!outcome.proposed) throw new Error(outcome.refusal.message);
    return outcome.execution;
  };
  const get = ({ id }: Execution) => at.gate.executions.get(id);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const over = (change: Partial<WorkerParts['executions']>): WorkerParts => ({
    ...parts,
    executions: { ...at.gate.executions, ...change },
  });
  const full = () => {
    throw new WritError('DATABASE_ERROR', 'the disk is full');
  };
  beforeEach(async () => {
    at = await createGateFixture();
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
    manual = createManualRunner();
    [changed, logged] = [[], []];
    heldUp = new Map();
    const logger: Logger = {
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: (message, fields) => logged.push([message, fields]),
    };
    parts = {
      ...{ executions: at.gate.executions, engine: at.engine, runner: manual.runner, logger },
      ...{ clock: RIGHT_AWAY, stopping: new AbortController().signal },
      onHeldUp: (id, why) => (why === undefined ? heldUp.delete(id) : heldUp.set(id, why)),
      onChanged: ({ id }) => changed.push(id),
    };
  });
  afterEach(() => at.close());

  it('spawns within the bounds of what it claimed', async () => {
    const execution = item(1);
    const [lease] = at.authority.listLeases({});
    const { started } = await continueExecutions(parts);
    expect(manual.bounds.get(execution.id)).toMatchObject({
      deadlineMs: expect.any(Number),
      ends: { code: 'LEASE_EXPIRED', atMs: lease?.expiresAtMs },
    });
    manual.ends.get(execution.id)?.resolve(DONE);
    await started[0]?.ended;
    expect([get(execution)?.outcome, logged]).toEqual([DONE.outcome, []]);
  });

  it('takes up no command that is gone, and none of those to skip', async () => {
    const [one, two] = [item(1), item(2)];
    const gone = await continueExecutions(
      over({ get: (id) => (id === one.id ? undefined : at.gate.executions.get(id)) }),
      { skip: new Set([two.id]) },
    );
    expect([gone, manual.calls]).toEqual([{ started: [], unstored: [], failed: [], seen: 1 }, []]);
  });

  it('leaves what there is no room for as it is, without a word, takes up the others, and it when there is room', async () => {
    const [one, two] = [item(1), item(2)];
    let isFull = true;
    const runner: WorkerParts['runner'] = {
      prepare: async (execution) => (isFull && execution.id === one.id ? undefined : manual.runner.prepare(execution)),
    };
    const { started, failed } = await continueExecutions({ ...parts, runner });
    expect([started.map(({ id }) => id), failed, logged]).toEqual([[two.id], [one.id], []]);
    expect(get(one)?.state).toBe('proposed');
    expect([...heldUp]).toEqual([[one.id, expect.stringContaining('no room')]]);
    isFull = false;
    const later = await continueExecutions({ ...parts, runner });
    expect(later.started.map(({ id }) => id)).toEqual([one.id]);
    expect(heldUp.size).toBe(0);
    for (const { id } of [one, two]) manual.ends.get(id)?.resolve(DONE);
    await Promise.all([...started, ...later.started].map(({ ended }) => ended));
  });

  it('says which command could not be taken up, goes on, and tells that it failed', async () => {
    const [one, two] = [item(1), item(2)];
    const start: WorkerParts['executions']['start'] = (id, digest) =>
      id === one.id ? full() : at.gate.executions.start(id, digest);
    const { started, failed } = await continueExecutions(over({ start }));
    expect([started.map(({ id }) => id), failed]).toEqual([[two.id], [one.id]]);
    expect([...heldUp]).toEqual([[one.id, expect.stringContaining('a fault of this node')]]);
    expect(logged).toEqual([
      ['a gated command could not be taken up', { execution: one.id, error: 'the disk is full' }],
    ]);
    expect(manual.calls.filter((call) => call.startsWith('release'))).toHaveLength(1);
  });

  it('ends what cannot be prepared with the reason, and what cannot be spawned too', async () => {
    const [one, two] = [item(1), item(2)];
    manual.before.prepare = async ({ id }) => {
      if (id === one.id) throw new WritError('BAD_REQUEST', 'its program is gone');
    };
    manual.before.spawn = async () => {
      throw new WritError('CHANGED_SINCE_APPROVAL', 'it changed at the last moment');
    };
    const { unstored } = await continueExecutions(parts);
    await Promise.all(unstored.map(({ ended }) => ended));
    expect([get(one), get(two)].map((execution) => execution?.outcome)).toEqual([
      { code: 'BAD_REQUEST', message: 'its program is gone' },
      { code: 'CHANGED_SINCE_APPROVAL', message: 'it changed at the last moment' },
    ]);
    // Only what changed is asked for anew.
    expect([changed, logged]).toEqual([[two.id], []]);
  });

  it.each([
    ['disk', () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })],
    ['database', () => new WritError('DATABASE_ERROR', 'the disk is full')],
  ])(
    'leaves what a passing fault of its %s kept from being prepared as it is, and takes it up later',
    async (_, fault) => {
      const execution = item(1);
      const before = get(execution)?.state;
      manual.before.prepare = async () => {
        throw fault();
      };
      const { failed } = await continueExecutions(parts);
      expect([failed, get(execution)?.state]).toEqual([[execution.id], before]);
      manual.before.prepare = async () => {};
      const { started } = await continueExecutions(parts);
      expect(started.map(({ id }) => id)).toEqual([execution.id]);
    },
  );

  it('does not say of what ended before its start for another reason that it changed', async () => {
    const execution = item(1);
    const start = (outcome?: Execution['outcome']) =>
      over({
        start: () => ({ started: false, waits: false, execution: { ...execution, ...(outcome ? { outcome } : {}) } }),
      });
    for (const code of [undefined, 'EXPIRED', 'CHANGED_SINCE_APPROVAL'] as const) {
      await continueExecutions(start(code && { code, message: '' }));
      expect(changed).toEqual(code === 'CHANGED_SINCE_APPROVAL' ? [execution.id] : []);
    }
    await continueExecutions(over({ start: () => ({ started: false, waits: false }) }));
    expect([changed.length, logged]).toEqual([1, []]);
  });

  it('does not say of what could not be spawned for another reason that it changed', async () => {
    const execution = item(1);
    manual.before.spawn = async () => {
      throw new WritError('RUNNER_UNAVAILABLE', 'no process');
    };
    await continueExecutions(parts);
    await turn();
    expect([changed, get(execution)?.outcome?.code]).toEqual([[], 'RUNNER_UNAVAILABLE']);
  });

  it('stores the end of a command whose files are not let go, and says so', async () => {
    const execution = item(1);
    manual.before.release = async () => {
      throw new Error('busy');
    };
    const { started } = await continueExecutions(parts);
    manual.ends.get(execution.id)?.resolve(DONE);
    await started[0]?.ended;
    expect([get(execution)?.state, logged]).toEqual([
      'completed',
      [['what a gated command held was not let go', { execution: execution.id, error: 'busy' }]],
    ]);
  });

  it('says each time that an end was not stored, and of what', async () => {
    const execution = item(1);
    let faults = 2;
    const finish: WorkerParts['executions']['finish'] = (...args) =>
      faults-- > 0 ? full() : at.gate.executions.finish(...args);
    const { started } = await continueExecutions(over({ finish }));
    manual.ends.get(execution.id)?.resolve({ event: 'fail', outcome: { code: 'FAILED', message: 'no' } });
    await started[0]?.ended;
    const line = ['the end of a gated command was not stored', { execution: execution.id, error: 'the disk is full' }];
    expect([logged, get(execution)?.state]).toEqual([[line, line], 'failed']);
  });

  it('knows of one whose runner broke only that it broke', async () => {
    const execution = item(1);
    const { started } = await continueExecutions(parts);
    manual.ends.get(execution.id)?.reject(new Error('the runner is gone'));
    await started[0]?.ended;
    expect(get(execution)).toMatchObject({
      state: 'outcome_unknown',
      outcome: { code: 'LOST', message: 'the runner is gone' },
    });
  });

  it('waits a second between two tries, and no longer than the node goes on', async () => {
    const execution = item(1);
    const stopping = new AbortController();
    const waits: number[] = [];
    let disarmed = 0;
    const clock: WorkerParts['clock'] = {
      setTimer(ms, ring) {
        waits.push(ms);
        if (waits.length < 2) setImmediate(ring);
        return () => {
          disarmed += 1;
        };
      },
    };
    const { started } = await continueExecutions({ ...over({ finish: full }), clock, stopping: stopping.signal });
    manual.ends.get(execution.id)?.resolve(DONE);
    while (waits.length < 2) await turn();
    stopping.abort();
    await started[0]?.ended;
    expect([waits, disarmed, get(execution)?.state]).toEqual([[1000, 1000], 2, 'running']);
  });

  it('says that a whole pass failed, and makes another one when it is woken', async () => {
    const execution = item(1);
    let faults = 1;
    const ready: WorkerParts['executions']['ready'] = (...args) =>
      faults-- > 0 ? full() : at.gate.executions.ready(...args);
    const worker = createContinuationWorker(over({ ready }));
    worker.wake();
    await worker.idle();
    expect([logged, get(execution)?.state]).toEqual([
      [['a pass over gated commands failed', { error: 'the disk is full' }]],
      'proposed',
    ]);
    worker.wake();
    while (!manual.ends.has(execution.id)) await turn();
    manual.ends.get(execution.id)?.resolve(DONE);
    await worker.idle();
    expect(get(execution)?.state).toBe('completed');
    await worker.close();
  });

  it('makes one more pass for what woke it while the last one ended', async () => {
    item(1);
    const looks: number[] = [];
    const worker = createContinuationWorker(
      over({
        ready: () => {
          looks.push(looks.length);
          if (looks.length === 1) worker.wake();
          return [];
        },
      }),
    );
    worker.wake();
    worker.wake();
    await worker.idle();
    expect(looks).toHaveLength(2);
    await worker.close();
    worker.wake();
    await worker.idle();
    expect(looks).toHaveLength(2);
  });

  it('makes one more pass for what woke it while it told of one that failed', async () => {
    item(1);
    let looks = 0;
    const ready = (): string[] => {
      looks += 1;
      return looks === 1 ? full() : [];
    };
    const worker = createContinuationWorker({
      ...over({ ready }),
      logger: { ...parts.logger, error: () => worker.wake() },
    });
    worker.wake();
    await worker.idle();
    expect(looks).toBe(2);
    await worker.close();
  });

  it('ends its looking where a full pass moved nothing', async () => {
    item(1);
    let looks = 0;
    const ids = Array.from({ length: 64 }, (_, n) => `none-${n}`);
    const worker = createContinuationWorker(
      over({
        ready: () => {
          looks += 1;
          return looks > 5 ? [] : ids;
        },
      }),
    );
    worker.wake();
    await worker.idle();
    expect(looks).toBe(1);
    await worker.close();
  });
});
