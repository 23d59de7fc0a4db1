import { isWritError } from '@writ/core';
import type { NewTask, Task, TaskChange, TaskEventBody, TaskOutcome, TaskState, TaskStore } from '@writ/task-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BENCH_START_MS, type MakeStore, openStoreBench, type StoreBench, thrownBy } from './store-bench.ts';

const TASK: NewTask = {
  id: 't1',
  sender: 'wn-a',
  origin: 'wn-a',
  session: 's1',
  agent: 'agent',
  chain: ['wn-a'],
  idempotencyKey: 'k1',
  requestDigest: 'digest',
  spec: { input: { kind: 'argv', argv: ['true'] }, profile: 'query' },
  bounds: { grants: [['inspect_status']], depthLeft: 0 },
  granted: {
    requestedProfile: 'query',
    effectiveProfile: 'query',
    effectiveRunner: 'shell',
    isolation: 'none',
    generation: 1,
    message: 'granted',
  },
};

/** An outcome of this state, for a change that ends a task. */
export function outcomeOf(state: TaskOutcome['state']): TaskOutcome {
  const none = { truncated: false, stdoutBytes: 0, stderrBytes: 0, endedAtMs: BENCH_START_MS };
  return { state, message: state, ...none };
}

const OUTPUT = { kind: 'output', stream: 'stdout', offset: 0, length: 3 } as const satisfies TaskEventBody;
const stateEvent = (state: TaskState): TaskEventBody => ({ kind: 'state', state });

/** What every TaskStore does. */
export function describeTaskStoreContract(name: string, make: MakeStore<TaskStore>): void {
  describe(`${name} as a TaskStore`, () => {
    let bench: StoreBench;
    let store: TaskStore;
    const insert = (change: Partial<NewTask> = {}) =>
      bench.database.withWriteTx((tx) => store.insert(tx, { ...TASK, ...change }));
    const many = (ids: readonly string[], change: Partial<NewTask> = {}) => {
      for (const id of ids) insert({ id, idempotencyKey: id, ...change });
    };
    const get = (id = 't1') => bench.database.withReadTx((tx) => store.get(tx, id));
    const update = (version: number, change: TaskChange, id = 't1'): Task | undefined =>
      bench.database.withWriteTx((tx) => store.update(tx, id, version, change));
    const append = (epoch: number, bodies: readonly TaskEventBody[], id = 't1') =>
      bench.database.withWriteTx((tx) => store.append(tx, id, epoch, bodies));
    const events = (afterSeq = 0, limit = 100) =>
      bench.database.withReadTx((tx) => store.events(tx, 't1', afterSeq, limit));
    const list = (filter: Omit<Parameters<TaskStore['list']>[1], 'limit'> & { limit?: number }) =>
      bench.database.withReadTx((tx) => store.list(tx, { limit: 10, ...filter }).map((task) => task.id));
    const end = (id: string) =>
      update(get(id)?.version ?? 0, { state: 'completed', outcome: outcomeOf('completed') }, id);
    beforeEach(async () => {
      bench = await openStoreBench();
      store = make();
    });
    afterEach(() => bench.database.close());

    it('gives back what was inserted', () => {
      const result = insert();
      const task = { ...TASK, state: 'submitted', epoch: 0, lastSeq: 0, createdAtMs: BENCH_START_MS, version: 1 };
      expect(result).toEqual({ kind: 'inserted', task });
      expect(get()).toEqual(task);
      expect(get('none')).toBeUndefined();
    });

    it('makes one task of five submits with one key, and keys belong to their sender', () => {
      const kinds = Array.from({ length: 5 }, () => insert().kind);
      expect(kinds).toEqual(['inserted', 'existing', 'existing', 'existing', 'existing']);
      expect(insert({ id: 'other' })).toMatchObject({ kind: 'existing', task: { id: 't1' } });
      expect(insert({ id: 't2', sender: 'wn-b' }).kind).toBe('inserted');
      const found = bench.database.withReadTx((tx) => [
        store.findByKey(tx, 'wn-b', 'k1'),
        store.findByKey(tx, 'wn-c', 'k1'),
      ]);
      expect(found.map((task) => task?.id)).toEqual(['t2', undefined]);
    });

    it('does not hand out a task whose id another sender, or another key, has taken', () => {
      insert();
      expect(insert({ sender: 'wn-b' })).toEqual({ kind: 'taken' });
      expect(insert({ idempotencyKey: 'k2' })).toEqual({ kind: 'taken' });
      expect(get()?.sender).toBe('wn-a');
    });

    it('changes at the current version only', () => {
      insert();
      const running = update(1, { state: 'running', epoch: 1, attemptNonce: 'n', deadlineMs: 7 });
      expect(running).toMatchObject({ state: 'running', epoch: 1, attemptNonce: 'n', deadlineMs: 7, version: 2 });
      expect(update(1, { state: 'failed', outcome: outcomeOf('failed') })).toBeUndefined();
      expect(get()).toEqual(running);
      expect(update(2, { cancelRequestedAtMs: 9 })).toMatchObject({
        cancelRequestedAtMs: 9,
        state: 'running',
        version: 3,
      });
    });

    it('lets one of two enders win, and a terminal state absorb', () => {
      insert();
      expect(update(1, { state: 'cancelled', outcome: outcomeOf('cancelled') })?.state).toBe('cancelled');
      expect(update(1, { state: 'completed', outcome: outcomeOf('completed') })).toBeUndefined();
      expect(update(2, { state: 'running' })).toBeUndefined();
      expect(update(2, { cancelRequestedAtMs: 1 })).toBeUndefined();
      expect(get()).toMatchObject({ state: 'cancelled', outcome: { state: 'cancelled' }, version: 2 });
    });

    it('stores a terminal state and its outcome together or not at all', () => {
      insert();
      expect(
        isWritError(
          thrownBy(() => update(1, { state: 'failed' })),
          'INTERNAL',
        ),
      ).toBe(true);
      expect(
        isWritError(
          thrownBy(() => update(1, { outcome: outcomeOf('failed') })),
          'INTERNAL',
        ),
      ).toBe(true);
      expect(thrownBy(() => update(1, { state: 'failed', outcome: outcomeOf('lost') }))).toBeDefined();
      expect(get()?.version).toBe(1);
    });

    it('never goes back to an older epoch', () => {
      insert();
      update(1, { epoch: 2 });
      expect(update(2, { epoch: 1 })).toBeUndefined();
      expect(get()?.epoch).toBe(2);
    });

    it('numbers events without a gap, from one', () => {
      insert();
      append(0, [stateEvent('submitted'), { kind: 'granted', granted: TASK.granted }]);
      expect(
        thrownBy(() =>
          bench.database.withWriteTx((tx) => {
            store.append(tx, 't1', 0, [OUTPUT]);
            throw new Error('rolled back');
          }),
        ),
      ).toBeDefined();
      update(1, { state: 'running', epoch: 1 });
      bench.clock.advance(5);
      append(1, [stateEvent('running'), OUTPUT, OUTPUT]);
      append(1, []);
      expect(events().map((event) => [event.seq, event.epoch, event.kind])).toEqual([
        [1, 0, 'state'],
        [2, 0, 'granted'],
        [3, 1, 'state'],
        [4, 1, 'output'],
        [5, 1, 'output'],
      ]);
      expect(events(2, 2).map((event) => event.seq)).toEqual([3, 4]);
      expect(events(3, 1)).toEqual([{ seq: 4, atMs: BENCH_START_MS + 5, epoch: 1, ...OUTPUT }]);
      expect(get()).toMatchObject({ lastSeq: 5, version: 2 });
    });

    it('appends nothing for an attempt that was overtaken', () => {
      insert();
      update(1, { state: 'running', epoch: 2 });
      expect([append(1, [OUTPUT]), append(2, [OUTPUT]).length]).toEqual([[], 1]);
      expect(events().map((event) => event.epoch)).toEqual([2]);
      expect(
        isWritError(
          thrownBy(() => append(3, [OUTPUT])),
          'INTERNAL',
        ),
      ).toBe(true);
      expect(
        isWritError(
          thrownBy(() => append(0, [OUTPUT], 'none')),
          'NOT_FOUND',
        ),
      ).toBe(true);
    });

    it('takes late output of a terminal task, but no event that leads elsewhere', () => {
      insert();
      end('t1');
      expect(append(0, [OUTPUT, { kind: 'outcome', outcome: outcomeOf('completed') }])).toHaveLength(2);
      expect(append(0, [OUTPUT, stateEvent('running')])).toEqual([]);
      expect(append(0, [{ kind: 'outcome', outcome: outcomeOf('failed') }])).toEqual([]);
      expect(events()).toHaveLength(2);
    });

    it('pages newest first, by sender and states, from before a task', () => {
      many(['a', 'b', 'c', 'd']);
      many(['x', 'y'], { sender: 'wn-b' });
      for (const id of ['b', 'd', 'x']) end(id);
      expect(list({})).toEqual(['y', 'x', 'd', 'c', 'b', 'a']);
      expect(list({ limit: 2 })).toEqual(['y', 'x']);
      expect(list({ limit: 2, before: 'd' })).toEqual(['c', 'b']);
      expect(list({ sender: 'wn-a' })).toEqual(['d', 'c', 'b', 'a']);
      expect(list({ states: ['completed'] })).toEqual(['x', 'd', 'b']);
      expect(list({ states: ['completed', 'submitted', 'completed'], limit: 3 })).toEqual(['y', 'x', 'd']);
      expect(list({ sender: 'wn-a', states: ['submitted', 'completed'], before: 'd' })).toEqual(['c', 'b', 'a']);
      expect([list({ states: [] }), list({ before: 'none' })]).toEqual([[], []]);
    });

    it('knows what is live, oldest first, by sender', () => {
      many(['a', 'b', 'c']);
      many(['x', 'y', 'z'], { sender: 'wn-b' });
      for (const id of ['b', 'z']) end(id);
      bench.database.withReadTx((tx) => {
        expect(store.listLive(tx).map((task) => task.id)).toEqual(['a', 'c', 'x', 'y']);
        expect(store.countLive(tx)).toBe(4);
        expect([store.countLive(tx, 'wn-a'), store.countLive(tx, 'wn-b'), store.countLive(tx, 'wn-c')]).toEqual([
          2, 2, 0,
        ]);
      });
    });

    it('remembers what a writ was used for first, for each sender, until it has ended', () => {
      const use = (request: string, sender = 'wn-a', nonce = 'n1', lifeMs = 1000) =>
        bench.database.withWriteTx((tx) =>
          store.useWrit(tx, { sender, nonce, request, untilMs: BENCH_START_MS + lifeMs }),
        );
      expect([use('one'), use('two'), use('one')]).toEqual(['one', 'one', 'one']);
      expect([use('two', 'wn-b'), use('two', 'wn-a', 'n2', 5000)]).toEqual(['two', 'two']);
      bench.clock.advance(1001);
      expect([use('two'), use('three', 'wn-a', 'n2')]).toEqual(['two', 'two']);
    });

    it('remembers a writ for longer that was renewed, for the same request only', () => {
      const use = (request: string, lifeMs: number) =>
        bench.database.withWriteTx((tx) =>
          store.useWrit(tx, { sender: 'wn-a', nonce: 'n1', request, untilMs: BENCH_START_MS + lifeMs }),
        );
      expect([use('one', 1000), use('one', 3000), use('one', 2000), use('two', 9000)]).toEqual(Array(4).fill('one'));
      bench.clock.advance(2500);
      expect(use('two', 9000)).toBe('one');
      bench.clock.advance(501);
      expect(use('two', 9000)).toBe('two');
    });

    it('keeps renewed writs and what they allow, of a task that is not terminal', () => {
      insert({ writs: ['one'] });
      const renew = () => bench.database.withWriteTx((tx) => store.renewWrits(tx, 't1', ['two'], { depthLeft: 3 }));
      expect(renew()).toMatchObject({ bounds: { depthLeft: 3 }, version: 2 });
      expect(bench.database.withReadTx((tx) => store.writs(tx, 't1'))).toEqual(['two']);
      end('t1');
      expect(renew()).toBeUndefined();
    });

    it('tells where the output ends that events tell of', () => {
      insert();
      const outputEnd = () => bench.database.withReadTx((tx) => store.outputEnd(tx, 't1'));
      expect(outputEnd()).toBe(0);
      append(0, [OUTPUT, { ...OUTPUT, offset: 3, length: 5 }, { kind: 'dropped', stream: 'stdout', bytes: 9 }]);
      expect(outputEnd()).toBe(8);
    });

    it('leaves out a row that it cannot read, reports it, and goes on', () => {
      many(['good', 'bad']);
      bench.database.withWriteTx((tx) => tx.prepare(`UPDATE task SET spec = '{}' WHERE id = 'bad'`).run());
      expect(list({})).toEqual(['good']);
      expect(get('bad')).toBeUndefined();
      expect(bench.database.quarantined().map((row) => row.key)).toEqual(['bad']);
    });

    it('hands out events up to one that it cannot read, never a gap', () => {
      insert();
      append(0, [OUTPUT, OUTPUT, OUTPUT]);
      bench.database.withWriteTx((tx) => tx.prepare(`UPDATE task_event SET body = '{"kind":"?"}' WHERE seq = 2`).run());
      expect(events().map((event) => event.seq)).toEqual([1]);
      expect(bench.database.quarantined().map((row) => row.table)).toEqual(['task_event']);
    });
  });
}
