import { sha256Hex } from '@writ/core';
import { EXECUTION_STATES, type ExecutionChange, type ExecutionStore, type NewExecution } from '@writ/lease-store';
import { expect, it } from 'vitest';
import { BENCH_START_MS, believed, type MakeStore, thrownBy } from './store-bench.ts';
import { withBench } from './with-bench.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const EXECUTION: NewExecution = {
  id: 'e1',
  origin: 'wn-a',
  session: 's1',
  agent: 'agent',
  requestedBy: 'wn-a',
  idempotencyKey: 'k1',
  class: 'config-mutation',
  known: true,
  needs: ['manage_services'],
  profile: 'ops',
  digest: sha256Hex('action'),
  request: { argv: ['true'] },
  basis: {},
  preview: 'argument 0: true',
  expiresAtMs: BENCH_START_MS + HOUR_MS,
};

/** What every ExecutionStore does. */
export function describeExecutionStoreContract(name: string, make: MakeStore<ExecutionStore>): void {
  withBench(`${name} as an ExecutionStore`, make, (at) => {
    const insert = (change: Partial<NewExecution> = {}) =>
      at().bench.database.withWriteTx((tx) => at().store.insert(tx, { ...EXECUTION, ...change }));
    const get = (id = 'e1') => at().bench.database.withReadTx((tx) => at().store.get(tx, id));
    const move = (change: ExecutionChange, id = 'e1', before = get(id)!) =>
      at().bench.database.withWriteTx((tx) => at().store.move(tx, before, change));
    const read = <T>(fn: (store: ExecutionStore, tx: Parameters<ExecutionStore['get']>[0]) => T): T =>
      at().bench.database.withReadTx((tx) => fn(at().store, tx));

    it('gives back what was inserted, absent fields absent', () => {
      const inserted = insert();
      expect(inserted).toEqual({ ...EXECUTION, state: 'proposed', createdAtMs: BENCH_START_MS, version: 1 });
      expect(get()).toEqual(inserted);
      expect(read((store, tx) => [store.has(tx, 'e1'), store.has(tx, 'e2')])).toEqual([true, false]);
      const full = insert({ id: 'e2', idempotencyKey: 'k2', task: 't1', target: 'self/service/nginx', known: false });
      expect(get('e2')).toEqual(full);
    });

    it.each(['origin', 'session', 'agent'] as const)('stores none whose %s is empty', (part) => {
      expect(thrownBy(() => insert({ [part]: '' }))).toBeDefined();
    });

    it('counts what has not ended of a session or a task, and says when each of a session was stored', () => {
      insert();
      at().bench.clock.advance(5);
      insert({ id: 'e2', idempotencyKey: 'k2', task: 't1' });
      insert({ id: 'e3', idempotencyKey: 'k3', session: 's2' });
      insert({ id: 'e4', origin: 'wn-b' });
      insert({ id: 'e5', idempotencyKey: 'k5', session: 's2', task: 't1' });
      move({ state: 'cancelled' });
      move({ state: 'cancelled' }, 'e5');
      const key = { origin: 'wn-a', session: 's1' };
      expect(read((store, tx) => [store.countLive(tx, { key }), store.countLive(tx, { task: 't1' })])).toEqual([1, 1]);
      expect(read((store, tx) => [0, 1, 2].map((place) => store.newestAtMs(tx, key, place)))).toEqual([
        ...[BENCH_START_MS + 5, BENCH_START_MS, undefined],
      ]);
    });

    it('counts what has not ended of one asker, and of all others', () => {
      for (const id of ['mine', 'done']) insert({ id, idempotencyKey: id });
      for (const id of ['b1', 'b2']) insert({ id, idempotencyKey: id, requestedBy: 'wn-b' });
      insert({ id: 'c1', requestedBy: 'wn-c' });
      move({ state: 'cancelled' }, 'done');
      move({ state: 'cancelled' }, 'b1');
      const count = (filter: Parameters<ExecutionStore['countLive']>[1]) =>
        read((store, tx) => store.countLive(tx, filter));
      expect(['wn-a', 'wn-b', 'wn-d'].map((requestedBy) => count({ requestedBy }))).toEqual([1, 1, 0]);
      expect(['wn-a', 'wn-d'].map((notOf) => count({ notOf }))).toEqual([2, 3]);
    });

    it('counts what an asker asked for after one moment and up to another, ended or not, among the newest of all', () => {
      insert();
      move({ state: 'cancelled' });
      insert({ id: 'other', requestedBy: 'wn-b' });
      at().bench.clock.advance(5);
      insert({ id: 'late', idempotencyKey: 'k2' });
      const start = BENCH_START_MS;
      const count = (sinceMs: number, untilMs: number, among = 9) =>
        read((store, tx) => store.countNewest(tx, 'wn-a', { sinceMs, untilMs, among }));
      expect([count(start - 1, start + 5), count(start, start + 5), count(start - 1, start + 4)]).toEqual([2, 1, 1]);
      expect([count(start - 1, start + 5, 2), count(start - 1, start + 5, 3)]).toEqual([1, 2]);
      expect(count(start, start + 5, 1)).toBe(1);
    });

    it('takes a key of an asker in a session once', () => {
      insert();
      expect(thrownBy(() => insert({ id: 'e2' }))).toBeDefined();
      insert({ id: 'e3', session: 's2' });
      insert({ id: 'e4', origin: 'wn-b' });
      const find = (change: Partial<NewExecution>) =>
        read((store, tx) => store.findByKey(tx, { ...EXECUTION, ...change })?.id);
      expect([
        find({}),
        find({ session: 's2' }),
        find({ origin: 'wn-b' }),
        find({ idempotencyKey: 'k2' }),
        find({ requestedBy: 'wn-c' }),
      ]).toEqual([...['e1', 'e3', 'e4'], undefined, undefined]);
    });

    it('moves from what it is to what it becomes, with what belongs to it, once', () => {
      const before = insert();
      const waits = move({ state: 'pending_approval', approval: 'a1' });
      expect(waits).toEqual({ ...before, state: 'pending_approval', approval: 'a1', version: 2 });
      expect(read((store, tx) => store.findByApproval(tx, 'a1'))?.id).toBe('e1');
      expect(move({ state: 'running' }, 'e1', before)).toBeUndefined();
      at().bench.clock.advance(5);
      const running = move({ state: 'running', window: 'w1', lease: 'l1' });
      expect(running).toMatchObject({ approval: 'a1', window: 'w1', lease: 'l1', startedAtMs: BENCH_START_MS + 5 });
      at().bench.clock.advance(5);
      const outcome = { code: 'OK', message: 'done', exitCode: 0 };
      const ended = move({ state: 'completed', outcome });
      expect(ended).toMatchObject({ outcome, startedAtMs: BENCH_START_MS + 5, endedAtMs: BENCH_START_MS + 10 });
      expect(get()).toEqual(ended);
      expect(read((store, tx) => store.findByApproval(tx, 'a1'))).toBeUndefined();
    });

    it('knows when it ended, and only once it has; its start stays the first one', () => {
      const times = () => [get()?.startedAtMs, get()?.endedAtMs];
      insert();
      for (const [state, expected] of [
        ['pending_approval', [undefined, undefined]],
        ['proposed', [undefined, undefined]],
        ['running', [BENCH_START_MS + 2, undefined]],
        ['completed', [BENCH_START_MS + 2, BENCH_START_MS + 3]],
      ] as const) {
        move({ state });
        expect(times(), state).toEqual(expected);
        at().bench.clock.advance(1);
      }
    });

    it('lets no final state be left, by any statement', () => {
      const finals = EXECUTION_STATES.filter((state) => !['proposed', 'pending_approval', 'running'].includes(state));
      for (const state of finals) {
        insert({ id: state, idempotencyKey: state });
        move({ state }, state);
        expect(thrownBy(() => move({ state: 'running' }, state))).toMatchObject({
          message: expect.stringContaining('ends once'),
        });
        expect(get(state)?.state).toBe(state);
      }
    });

    it('starts one of 64 that start it', () => {
      const before = insert();
      const starts = Array.from({ length: 64 }, () => move({ state: 'running' }, 'e1', before));
      expect(starts.filter((started) => started !== undefined)).toHaveLength(1);
    });

    it('lists by state oldest first in pages, by session and by task newest first', () => {
      for (const id of ['a', 'b', 'c']) insert({ id, idempotencyKey: id });
      insert({ id: 'd', session: 's2', task: 't1' });
      move({ state: 'running' }, 'b');
      const listIn = (page: { after?: string; limit: number }) =>
        read((store, tx) => store.listIn(tx, 'proposed', page).map(({ id }) => id));
      expect([listIn({ limit: 2 }), listIn({ after: 'c', limit: 2 })]).toEqual([['a', 'c'], ['d']]);
      const list = (filter: Parameters<ExecutionStore['list']>[1]) =>
        read((store, tx) => store.list(tx, filter).map(({ id }) => id));
      expect(list({ limit: 9 })).toEqual(['d', 'c', 'b', 'a']);
      expect(list({ key: { origin: 'wn-a', session: 's1' }, limit: 2 })).toEqual(['c', 'b']);
      expect(list({ task: 't1', limit: 9 })).toEqual(['d']);
    });

    it('is found by its own question, while it lives, and by its own session at its own origin', () => {
      for (const id of ['a', 'b', 'c']) insert({ id, idempotencyKey: id });
      insert({ id: 'elsewhere', origin: 'wn-b' });
      for (const id of ['a', 'b', 'c']) move({ state: 'pending_approval', approval: `of ${id}` }, id);
      move({ state: 'denied' }, 'c');
      const byApproval = (approval: string) => read((store, tx) => store.findByApproval(tx, approval)?.id);
      expect(['of b', 'of a', 'of c', 'of nothing'].map(byApproval)).toEqual(['b', 'a', undefined, undefined]);
      const key = { origin: 'wn-b', session: 's1' };
      expect(read((store, tx) => store.list(tx, { key, limit: 9 }).map(({ id }) => id))).toEqual(['elsewhere']);
      expect(read((store, tx) => store.listWaiting(tx, { key }).map(({ id }) => id))).toEqual(['elsewhere']);
    });

    it('lists what has not started: of a session, of a task, and what is due', () => {
      insert({ id: 'a', idempotencyKey: 'a', task: 't1', expiresAtMs: BENCH_START_MS + 1 });
      insert({ id: 'b', idempotencyKey: 'b' });
      insert({ id: 'c', idempotencyKey: 'c', task: 't1', expiresAtMs: BENCH_START_MS + 1 });
      insert({ id: 'd', session: 's2', task: 't1', expiresAtMs: BENCH_START_MS + 1 });
      move({ state: 'running' }, 'a');
      move({ state: 'pending_approval' }, 'b');
      const waiting = (filter: Parameters<ExecutionStore['listWaiting']>[1]) =>
        read((store, tx) => store.listWaiting(tx, filter).map(({ id }) => id));
      expect(waiting({ key: { origin: 'wn-a', session: 's1' } })).toEqual(['b', 'c']);
      expect(waiting({ task: 't1' })).toEqual(['c', 'd']);
      const due = (limit: number) =>
        at().bench.database.withWriteTx((tx) =>
          at()
            .store.listDue(tx, limit)
            .map(({ id }) => id),
        );
      expect(due(9)).toEqual([]);
      at().bench.clock.advance(1);
      expect([due(9), due(1)]).toEqual([['c', 'd'], ['c']]);
    });

    it('ends what has not started, and only that, whatever the clock says', () => {
      for (const id of ['a', 'b', 'c']) insert({ id, idempotencyKey: id });
      move({ state: 'pending_approval' }, 'b');
      move({ state: 'running' }, 'c');
      expect(at().bench.database.withWriteTx((tx) => at().store.endWaiting(tx))).toBe(2);
      expect(['a', 'b', 'c'].map((id) => get(id)?.state)).toEqual(['expired', 'expired', 'running']);
      expect(get('a')).toMatchObject({ endedAtMs: BENCH_START_MS, version: 2 });
    });

    it('prunes what ended over thirty days ago', () => {
      insert();
      insert({ id: 'live', idempotencyKey: 'k2' });
      move({ state: 'cancelled' });
      const prune = (limit: number) => at().bench.database.withWriteTx((tx) => at().store.prune(believed(tx), limit));
      at().bench.clock.advance(30 * DAY_MS - 1);
      expect([prune(9), get()?.state]).toEqual([0, 'cancelled']);
      at().bench.clock.advance(1);
      expect([prune(0), prune(9)]).toEqual([0, 1]);
      expect([get(), get('live')?.state]).toEqual([undefined, 'proposed']);
    });

    it('leaves out a row that it cannot read, and reports it', () => {
      insert();
      at().bench.database.withWriteTx((tx) => tx.prepare(`UPDATE execution SET needs = 'nonsense'`).run());
      expect(get()).toBeUndefined();
      expect(
        at()
          .bench.database.quarantined()
          .map(({ table, key }) => `${table}/${key}`),
      ).toEqual(['execution/e1']);
    });
  });
}
