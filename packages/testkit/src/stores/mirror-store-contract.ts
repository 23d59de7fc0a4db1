import { isWritError } from '@writ/core';
import type { MirrorStore, NewMirror, TaskEvent, TaskEventBody } from '@writ/task-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BENCH_START_MS, type MakeStore, openStoreBench, type StoreBench, thrownBy } from './store-bench.ts';
import { outcomeOf } from './task-store-contract.ts';

const MIRROR: NewMirror = {
  id: 'm1',
  peer: 'wn-b',
  peerLabel: 'beta',
  session: 's1',
  agent: 'agent',
  idempotencyKey: 'k1',
  spec: { input: { kind: 'prompt', prompt: 'fix it' }, workspace: 'app' },
};

const event = (seq: number, body: TaskEventBody): TaskEvent => ({ seq, atMs: BENCH_START_MS + seq, epoch: 1, ...body });

/** What every MirrorStore does. */
export function describeMirrorStoreContract(name: string, make: MakeStore<MirrorStore>): void {
  describe(`${name} as a MirrorStore`, () => {
    let bench: StoreBench;
    let store: MirrorStore;
    const insert = (change: Partial<NewMirror> = {}) =>
      bench.database.withWriteTx((tx) => store.insert(tx, { ...MIRROR, ...change }));
    const get = (id = 'm1') => bench.database.withReadTx((tx) => store.get(tx, id));
    const apply = (one: TaskEvent, id = 'm1') => bench.database.withWriteTx((tx) => store.apply(tx, id, one));
    const end = (id = 'm1') => bench.database.withWriteTx((tx) => store.end(tx, id, outcomeOf('lost')));
    const seqs = () => bench.database.withReadTx((tx) => store.events(tx, 'm1', 0, 100).map((one) => one.seq));
    beforeEach(async () => {
      bench = await openStoreBench();
      store = make();
    });
    afterEach(() => bench.database.close());

    it('gives back what was inserted', () => {
      const fresh = { cursor: 0, createdAtMs: BENCH_START_MS, unreachable: false, accepted: false, version: 1 };
      expect(insert()).toEqual({ ...MIRROR, state: 'submitted', ...fresh });
      expect(get()?.spec).toEqual(MIRROR.spec);
      expect(get('none')).toBeUndefined();
    });

    it('takes an id, and a key of a session, once', () => {
      insert();
      expect(
        isWritError(
          thrownBy(() => insert({ idempotencyKey: 'k2' })),
          'CONFLICT',
        ),
      ).toBe(true);
      expect(
        isWritError(
          thrownBy(() => insert({ id: 'm2' })),
          'CONFLICT',
        ),
      ).toBe(true);
      insert({ id: 'm3', session: 's2' });
      const found = bench.database.withReadTx((tx) =>
        ['s1', 's2', 's3'].map((session) => store.findByKey(tx, session, 'k1')?.id),
      );
      expect(found).toEqual(['m1', 'm3', undefined]);
    });

    it('gives the key of one that has ended up, and still shows it', () => {
      insert();
      const giveUp = () => bench.database.withWriteTx((tx) => store.giveUpKey(tx, 'm1'));
      expect(giveUp()?.idempotencyKey).toBe('k1');
      end();
      expect(giveUp()).toMatchObject({ idempotencyKey: 'k1 (unused by m1)', state: 'lost' });
      insert({ id: 'm2' });
      expect(bench.database.withReadTx((tx) => store.findByKey(tx, 's1', 'k1')?.id)).toBe('m2');
    });

    it('knows what its executor said last that it waits for', () => {
      insert();
      const turn = () => bench.database.withReadTx((tx) => store.turn(tx, 'm1'));
      const asked = (id: string) => {
        const question = { id, kind: 'input', text: 'which branch?', choices: ['main'], askedAtMs: 5 } as const;
        return { turn: 1, sinceMs: 5, questions: [question] };
      };
      expect(turn()).toBeUndefined();
      apply(event(1, { kind: 'state', state: 'input_required', turn: asked('1.1') }));
      apply(event(2, { kind: 'state', state: 'input_required', turn: asked('1.2') }));
      apply(event(3, { kind: 'output', stream: 'stdout', offset: 0, length: 1 }));
      expect(turn()).toEqual(asked('1.2'));
      const kept = bench.database.withReadTx((tx) => store.events(tx, 'm1', 0, 2));
      expect(kept).toEqual([
        event(1, { kind: 'state', state: 'input_required' }),
        event(2, { kind: 'state', state: 'input_required', turn: asked('1.2') }),
      ]);
      apply(event(4, { kind: 'state', state: 'running' }));
      expect(turn()).toBeUndefined();
    });

    it('takes over events in order with their cursor, and moves state and grant along', () => {
      insert();
      const granted = {
        requestedProfile: 'a',
        effectiveProfile: 'b',
        effectiveRunner: 'c',
        generation: 4,
        message: '',
      };
      expect(apply(event(1, { kind: 'state', state: 'queued' }))).toMatchObject({
        state: 'queued',
        cursor: 1,
        accepted: true,
      });
      apply(event(2, { kind: 'granted', granted: { ...granted, isolation: 'none' } }));
      apply(event(3, { kind: 'output', stream: 'stderr', offset: 0, length: 4 }));
      expect(get()).toMatchObject({ state: 'queued', cursor: 3, granted: { effectiveProfile: 'b' } });
      expect(seqs()).toEqual([1, 2, 3]);
    });

    it('ignores a duplicate and what comes after a gap', () => {
      insert();
      apply(event(1, { kind: 'state', state: 'running' }));
      const before = get();
      expect(apply(event(1, { kind: 'state', state: 'queued' }))).toBeUndefined();
      expect(apply(event(3, { kind: 'state', state: 'queued' }))).toBeUndefined();
      expect(apply(event(0, { kind: 'state', state: 'queued' }))).toBeUndefined();
      expect(apply(event(1, { kind: 'state', state: 'queued' }), 'none')).toBeUndefined();
      expect([get(), seqs()]).toEqual([before, [1]]);
    });

    it('keeps neither event nor cursor where the transaction fails', () => {
      insert();
      const fail = () =>
        bench.database.withWriteTx((tx) => {
          store.apply(tx, 'm1', event(1, { kind: 'state', state: 'running' }));
          throw new Error('no');
        });
      expect(thrownBy(fail)).toBeDefined();
      expect([get()?.cursor, get()?.state, seqs()]).toEqual([0, 'submitted', []]);
    });

    it('becomes terminal with the outcome, not by the state before it', () => {
      insert();
      expect(apply(event(1, { kind: 'state', state: 'failed' }))).toMatchObject({ state: 'submitted', cursor: 1 });
      expect(apply(event(2, { kind: 'outcome', outcome: outcomeOf('failed') }))).toMatchObject({
        state: 'failed',
        outcome: outcomeOf('failed'),
      });
    });

    it('keeps a late result beside a mirror that was ended here, changing nothing', () => {
      insert();
      expect(end()?.state).toBe('lost');
      expect(end()).toBeUndefined();
      apply(event(1, { kind: 'state', state: 'running' }));
      apply(event(2, { kind: 'outcome', outcome: outcomeOf('completed') }));
      expect(get()).toMatchObject({ state: 'lost', outcome: { state: 'lost' }, cursor: 2 });
      expect(seqs()).toEqual([1, 2]);
    });

    it('remembers acceptance, reachability and the first wish to cancel', () => {
      insert();
      bench.database.withWriteTx((tx) => {
        expect(store.setAccepted(tx, 'm1')?.accepted).toBe(true);
        expect(store.setCancelRequested(tx, 'm1')?.cancelRequestedAtMs).toBe(BENCH_START_MS);
        expect(store.setAccepted(tx, 'none')).toBeUndefined();
      });
      const setUnreachable = (unreachable: boolean) =>
        bench.database.withWriteTx((tx) => store.setUnreachable(tx, 'm1', unreachable));
      const since = { unreachable: true, unreachableSinceMs: BENCH_START_MS };
      expect(setUnreachable(true)).toMatchObject(since);
      bench.clock.advance(5);
      expect(setUnreachable(true)).toMatchObject(since);
      expect(setUnreachable(false)).toMatchObject({ unreachable: false });
      expect(get()).not.toHaveProperty('unreachableSinceMs');
      expect(setUnreachable(true)).toMatchObject({ unreachableSinceMs: BENCH_START_MS + 5 });
      const again = bench.database.withWriteTx((tx) => store.setCancelRequested(tx, 'm1'));
      expect(again?.cancelRequestedAtMs).toBe(BENCH_START_MS);
      end();
    });

    it('lists newest first by peer, session and state, and the live ones oldest first', () => {
      for (const id of ['a', 'b', 'c']) insert({ id, idempotencyKey: id });
      insert({ id: 'd', idempotencyKey: 'd', peer: 'wn-c' });
      insert({ id: 'e', idempotencyKey: 'e', session: 's2' });
      end('b');
      const list = (filter: Parameters<MirrorStore['list']>[1]) =>
        bench.database.withReadTx((tx) => store.list(tx, filter).map((mirror) => mirror.id));
      expect(list({ limit: 9 })).toEqual(['e', 'd', 'c', 'b', 'a']);
      expect(list({ limit: 2, peer: 'wn-b', before: 'e' })).toEqual(['c', 'b']);
      expect(list({ limit: 9, session: 's1', states: ['submitted'] })).toEqual(['d', 'c', 'a']);
      expect(bench.database.withReadTx((tx) => store.countLive(tx))).toBe(4);
      expect(bench.database.withReadTx((tx) => store.listLive(tx).map((mirror) => mirror.id))).toEqual([
        'a',
        'c',
        'd',
        'e',
      ]);
    });

    it('leaves out a row that it cannot read, and reports it', () => {
      insert();
      bench.database.withWriteTx((tx) => tx.prepare(`UPDATE mirror SET unreachable = 7`).run());
      expect(get()).toBeUndefined();
      expect(bench.database.quarantined().map((row) => row.key)).toEqual(['m1']);
    });
  });
}
