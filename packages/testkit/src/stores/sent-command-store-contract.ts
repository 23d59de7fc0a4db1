import type { SentCommandNews, SentCommandStore } from '@writ/lease-store';
import { expect, it } from 'vitest';
import { BENCH_START_MS, believed, type MakeStore } from './store-bench.ts';
import { withBench } from './with-bench.ts';

const DAY_MS = 86_400_000;

/** What every SentCommandStore does. */
export function describeSentCommandStoreContract(name: string, make: MakeStore<SentCommandStore>): void {
  withBench(`${name} as a SentCommandStore`, make, (at) => {
    const command = (key: string) => ({ key, peer: 'wn-b', session: 's1', agent: 'agent', argv: ['uname', '-a'] });
    const insert = (key: string, more: { readonly profile?: string; readonly id?: string } = {}) =>
      at().bench.database.withWriteTx((tx) => at().store.insert(tx, { ...command(key), ...more }));
    const list = (limit = 99) => at().bench.database.withReadTx((tx) => at().store.list(tx, limit));
    const get = (key: string) => list().find((one) => one.key === key);
    const note = (key: string, news: SentCommandNews, { isFinal = false, peer = 'wn-b' } = {}) =>
      at().bench.database.withWriteTx((tx) => at().store.note(tx, { key, peer }, news, isFinal));
    const name = (key: string, id: string, peer = 'wn-b') =>
      at().bench.database.withWriteTx((tx) => at().store.name(tx, { key, peer }, id));
    const find = (id: string, peer = 'wn-b') =>
      at().bench.database.withReadTx((tx) => at().store.find(tx, { peer, id }));

    it('knows nothing of one until its peer has said something', () => {
      insert('c1', { profile: 'ops' });
      insert('c2');
      expect(get('c1')).toEqual({ ...command('c1'), profile: 'ops', sentAtMs: BENCH_START_MS });
      expect(get('c2')).toEqual({ ...command('c2'), sentAtMs: BENCH_START_MS });
      expect(get('c3')).toBeUndefined();
      insert('c4', { id: 'x4' });
      expect(find('x4')).toEqual({ ...command('c4'), id: 'x4', sentAtMs: BENCH_START_MS });
    });

    it('stores one once, whatever is said of it under the same id later', () => {
      insert('c1');
      note('c1', { state: 'running', class: 'read' });
      insert('c1', { profile: 'other' });
      expect(get('c1')).toMatchObject({ known: { state: 'running', class: 'read' } });
      expect(get('c1')?.profile).toBeUndefined();
    });

    it('keeps what was said last and when, and keeps an ending', () => {
      insert('c1');
      expect(note('c1', { state: 'pending_approval', class: 'destructive' })).toBe(true);
      at().bench.clock.advance(5);
      expect(note('c1', { state: 'pending_approval' })).toBe(false);
      expect(get('c1')?.known).toEqual({ state: 'pending_approval', class: 'destructive', seenAtMs: BENCH_START_MS });
      expect(note('c1', { state: 'completed', code: 'OK' }, { isFinal: true })).toBe(true);
      expect(note('c1', { state: 'running' })).toBe(false);
      const known = { state: 'completed', class: 'destructive', code: 'OK', seenAtMs: BENCH_START_MS + 5 };
      expect(get('c1')?.known).toEqual(known);
    });

    it('takes a refusal only of one that was never taken, and what comes after it', () => {
      insert('c1');
      expect(note('c1', { state: 'refused', code: 'LEASE_REQUIRED' })).toBe(true);
      expect(note('c1', { state: 'running' })).toBe(true);
      expect(note('c1', { state: 'refused', code: 'NOT_FOUND' })).toBe(false);
      expect(get('c1')?.known).toMatchObject({ state: 'running' });
      expect(get('c1')?.known?.code).toBeUndefined();
    });

    it('takes nothing from another peer, or of one that was never sent', () => {
      insert('c1');
      expect(note('c1', { state: 'running' }, { peer: 'wn-c' })).toBe(false);
      expect(note('c2', { state: 'running' })).toBe(false);
      expect(get('c1')?.known).toBeUndefined();
    });

    it('takes the name that its peer gives it, once, and is found by that', () => {
      for (const key of ['c1', 'c2']) insert(key);
      name('c1', 'x1', 'wn-c');
      expect(find('x1')).toBeUndefined();
      name('c1', 'x1');
      name('c1', 'x2');
      name('c2', 'x1');
      expect([find('x1')?.key, find('x2'), find('x1', 'wn-c')]).toEqual(['c1', undefined, undefined]);
      expect(get('c2')?.id).toBeUndefined();
      const noted = (id: string, peer: string) =>
        at().bench.database.withWriteTx((tx) => at().store.note(tx, { id, peer }, { state: 'running' }, false));
      expect([noted('x1', 'wn-c'), noted('x1', 'wn-b'), get('c1')?.known?.state]).toEqual([false, true, 'running']);
    });

    it('lists the newest first', () => {
      for (const key of ['c1', 'c2', 'c3']) insert(key);
      expect([list(9), list(2)].map((page) => page.map(({ key }) => key))).toEqual([
        ['c3', 'c2', 'c1'],
        ['c3', 'c2'],
      ]);
    });

    it('prunes at most so many, the oldest first, and only what is older than thirty days', () => {
      insert('c1');
      at().bench.clock.advance(1);
      insert('c2');
      at().bench.clock.advance(30 * DAY_MS - 2);
      insert('c3');
      const prune = (limit: number) => at().bench.database.withWriteTx((tx) => at().store.prune(believed(tx), limit));
      expect(prune(9)).toBe(0);
      at().bench.clock.advance(2);
      expect([prune(1), get('c1'), get('c2')?.key]).toEqual([1, undefined, 'c2']);
      expect([prune(9), get('c3')?.key]).toEqual([1, 'c3']);
    });
  });
}
