import type { NewWindow, WindowKey, WindowStore } from '@writ/lease-store';
import { expect, it } from 'vitest';
import { BENCH_START_MS, believed, type MakeStore, thrownBy } from './store-bench.ts';
import { withBench } from './with-bench.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const ASSENT: NewWindow = {
  id: 'w1',
  kind: 'assent',
  origin: 'wn-a',
  session: 's1',
  agent: 'agent',
  profile: 'ops',
  approval: 'a1',
  expiresAtMs: BENCH_START_MS + HOUR_MS,
};
const DESTRUCTIVE = { kind: 'destructive', target: 'self/service/nginx' } as const;
const WHOSE = { origin: 'wn-a', session: 's1', agent: 'agent' };

/** What every WindowStore does. */
export function describeWindowStoreContract(name: string, make: MakeStore<WindowStore>): void {
  withBench(`${name} as a WindowStore`, make, (at) => {
    const open = (change: Partial<NewWindow> = {}) =>
      at().bench.database.withWriteTx((tx) => at().store.open(tx, { ...ASSENT, ...change }));
    const get = (id = 'w1') => at().bench.database.withReadTx((tx) => at().store.get(tx, id));
    const find = (key: WindowKey) =>
      at().bench.database.withReadTx((tx) =>
        at()
          .store.findOpen(tx, key, at().bench.database.nowMs())
          .map(({ id }) => id),
      );
    const claim = (id = 'w1') => at().bench.database.withWriteTx((tx) => at().store.claimUse(tx, id));
    const close = (id = 'w1') => at().bench.database.withWriteTx((tx) => at().store.close(tx, id, 'person'));

    it('gives back what was opened, absent fields absent', () => {
      const opened = open();
      expect(opened).toEqual({ ...ASSENT, openedAtMs: BENCH_START_MS, uses: 0, version: 1 });
      expect(get()).toEqual(opened);
      const full = open({ id: 'w2', ...DESTRUCTIVE, workspace: 'app', steps: ['d1'], maxUses: 2 });
      expect(get('w2')).toEqual(full);
    });

    it.each([
      ['an empty origin', { origin: '' }],
      ['an empty session', { session: '' }],
      ['an empty agent', { agent: '' }],
      ['an empty workspace', { workspace: '' }],
      ['a target that an assent window has not', { target: 'self/service/nginx' }],
      ['no target', { kind: 'destructive' }],
      ['an empty target', { kind: 'destructive', target: '' }],
    ] as const)('opens none with %s', (_, change) => {
      expect(thrownBy(() => open(change))).toBeDefined();
      expect(get()).toBeUndefined();
    });

    it('is found by its whole key and by no other', () => {
      open();
      open({ id: 'w2', ...DESTRUCTIVE });
      open({ id: 'w3', workspace: 'app' });
      expect(find({ ...WHOSE, kind: 'assent' })).toEqual(['w1']);
      expect(find({ ...WHOSE, ...DESTRUCTIVE })).toEqual(['w2']);
      expect(find({ ...WHOSE, kind: 'assent', workspace: 'app' })).toEqual(['w3']);
      const others: WindowKey[] = [
        { ...WHOSE, kind: 'assent', origin: 'wn-b' },
        { ...WHOSE, kind: 'assent', session: 's2' },
        { ...WHOSE, kind: 'assent', agent: 'other' },
        { ...WHOSE, kind: 'assent', session: '' },
        { ...WHOSE, kind: 'assent', workspace: 'two' },
        { ...WHOSE, kind: 'assent', workspace: '' },
        { ...WHOSE, ...DESTRUCTIVE, workspace: 'app' },
        { ...WHOSE, kind: 'destructive', target: 'self/service/sshd' },
        { ...WHOSE, kind: 'destructive', target: '' },
      ];
      expect(others.map(find)).toEqual(others.map(() => []));
    });

    it('ends by time without grace', () => {
      open();
      at().bench.clock.advance(HOUR_MS - 1);
      expect([find({ ...WHOSE, kind: 'assent' }), claim()]).toEqual([['w1'], true]);
      at().bench.clock.advance(1);
      expect([find({ ...WHOSE, kind: 'assent' }), claim()]).toEqual([[], false]);
    });

    it('ends by its use count; a use that was returned can be used again', () => {
      open({ maxUses: 2 });
      expect([claim(), claim(), claim()]).toEqual([true, true, false]);
      expect(find({ ...WHOSE, kind: 'assent' })).toEqual([]);
      const giveBack = () => at().bench.database.withWriteTx((tx) => at().store.returnUse(tx, 'w1'));
      giveBack();
      expect([claim(), claim(), get()?.uses]).toEqual([true, false, 2]);
      for (let i = 0; i < 3; i++) giveBack();
      expect(get()?.uses).toBe(0);
    });

    it('serves one of 64 that want its only use', () => {
      open({ maxUses: 1 });
      expect(Array.from({ length: 64 }, () => claim()).filter((claimed) => claimed)).toHaveLength(1);
    });

    it('is closed once and for all', () => {
      open();
      expect([close()?.closedBy, close(), close('none')]).toEqual(['person', undefined, undefined]);
      expect([find({ ...WHOSE, kind: 'assent' }), claim()]).toEqual([[], false]);
      const reopen = () =>
        at().bench.database.withWriteTx((tx) => tx.prepare('UPDATE window SET closed_at_ms = NULL').run());
      expect(thrownBy(reopen)).toMatchObject({ message: expect.stringContaining('closed once') });
    });

    it('is not used while the clock stands back', () => {
      open();
      claim();
      at().bench.clock.jump(-61_000);
      expect(claim()).toBe(false);
    });

    it('closes those of one session, and no other', () => {
      open();
      open({ id: 'w2', ...DESTRUCTIVE });
      open({ id: 'w3', origin: 'wn-b' });
      const closed = at().bench.database.withWriteTx((tx) =>
        at().store.closeOf(tx, { origin: 'wn-a', session: 's1' }, 'node'),
      );
      expect(closed.map(({ id }) => id).sort()).toEqual(['w1', 'w2']);
      expect([get('w1')?.closedAtMs, get('w3')?.closedAtMs]).toEqual([BENCH_START_MS, undefined]);
    });

    it('lists what is open, newest first, of one session when asked', () => {
      open();
      open({ id: 'w2', session: 's2' });
      open({ id: 'w3' });
      open({ id: 'over', expiresAtMs: BENCH_START_MS });
      close('w3');
      const list = (key?: { origin: string; session: string }) =>
        at().bench.database.withReadTx((tx) =>
          at()
            .store.listOpen(tx, { nowMs: at().bench.database.nowMs(), ...(key === undefined ? {} : { key }) })
            .map(({ id }) => id),
        );
      expect([list(), list({ origin: 'wn-a', session: 's1' })]).toEqual([['w2', 'w1'], ['w1']]);
    });

    it('closes every one, expired ones too', () => {
      open();
      open({ id: 'w2', expiresAtMs: BENCH_START_MS });
      expect(at().bench.database.withWriteTx((tx) => at().store.endAll(tx))).toHaveLength(2);
      expect([get('w1')?.closedBy, get('w2')?.closedBy]).toEqual(['node', 'node']);
    });

    it('prunes what ended over thirty days ago', () => {
      open();
      const prune = () => at().bench.database.withWriteTx((tx) => at().store.prune(believed(tx), 9));
      at().bench.clock.advance(HOUR_MS + 30 * DAY_MS - 1);
      expect(prune()).toBe(0);
      at().bench.clock.advance(1);
      expect([prune(), get()]).toEqual([1, undefined]);
    });

    it('is none where its kind and its target do not belong together', () => {
      open();
      open({ id: 'w2', kind: 'destructive', target: 'self/service/nginx' });
      at().bench.database.withWriteTx((tx) => {
        tx.prepare('PRAGMA ignore_check_constraints = ON').run();
        tx.prepare(`UPDATE window SET target = 'self/service/nginx' WHERE id = 'w1'`).run();
        tx.prepare(`UPDATE window SET target = NULL WHERE id = 'w2'`).run();
      });
      const listed = at().bench.database.withReadTx((tx) =>
        at().store.listOpen(tx, { nowMs: at().bench.database.nowMs() }),
      );
      expect(listed).toEqual([]);
      expect(at().bench.database.quarantined()).toHaveLength(2);
    });

    it('leaves out a row that it cannot read, and reports it', () => {
      open();
      open({ id: 'w2' });
      at().bench.database.withWriteTx((tx) => tx.prepare(`UPDATE window SET steps = '{}' WHERE id = 'w1'`).run());
      expect(find({ ...WHOSE, kind: 'assent' })).toEqual(['w2']);
      expect(
        at()
          .bench.database.quarantined()
          .map(({ table, key }) => `${table}/${key}`),
      ).toEqual(['window/w1']);
    });
  });
}
