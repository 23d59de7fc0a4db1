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

    it('is found the longest-lived first, of those the newest', () => {
      open();
      open({ id: 'w2', expiresAtMs: BENCH_START_MS + 2 * HOUR_MS });
      open({ id: 'w3' });
      expect(find({ ...WHOSE, kind: 'assent' })).toEqual(['w2', 'w3', 'w1']);
    });

    it('is used by itself: what is beside it loses and gets back nothing', () => {
      open();
      open({ id: 'w2', maxUses: 2 });
      expect([claim(), claim('w2'), claim('w2'), claim('w2'), claim('none')]).toEqual([true, true, true, false, false]);
      expect([get('w1'), get('w2')]).toMatchObject([
        { uses: 1, version: 2 },
        { uses: 2, version: 3 },
      ]);
      at().bench.database.withWriteTx((tx) => at().store.returnUse(tx, 'w2'));
      expect([get('w1')?.uses, get('w2')]).toMatchObject([1, { uses: 1, version: 4 }]);
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
      open({ id: 'w4', session: 's2' });
      open({ id: 'w5' });
      close('w5');
      const closed = at().bench.database.withWriteTx((tx) =>
        at().store.closeOf(tx, { origin: 'wn-a', session: 's1' }, 'node'),
      );
      expect(closed.map(({ id, version }) => [id, version]).sort()).toEqual([
        ['w1', 2],
        ['w2', 2],
      ]);
      expect(['w1', 'w3', 'w4'].map((id) => get(id)?.closedAtMs)).toEqual([BENCH_START_MS, undefined, undefined]);
      expect(get('w5')).toMatchObject({ closedBy: 'person', version: 2 });
    });

    it('closes those that the yes of one approver opened, in whatever session', () => {
      const approved = (
        id: string,
        by: string,
      ) => `INSERT INTO approval (id, kind, origin, session, agent, digest, subject, scopes,
        preview, requested_by, generation, state, created_at_ms, expires_at_ms, decided_at_ms, decided_by, version)
        VALUES ('${id}', 'plan', 'wn-a', 's1', 'agent', '', '{}', '[]', '', 'self', 1, 'approved', 1, 9, 1, '${by}', 2)`;
      at().bench.database.withWriteTx((tx) => {
        for (const [id, by] of [
          ['a1', 'ap-1'],
          ['a2', 'ap-2'],
          ['a3', 'ap-1'],
        ] as const) {
          tx.prepare(approved(id, by)).run();
        }
      });
      open();
      open({ id: 'w2', approval: 'a2' });
      open({ id: 'w3', approval: 'a3', session: 's2' });
      open({ id: 'w4', approval: 'a3' });
      close('w4');
      const closed = at().bench.database.withWriteTx((tx) => at().store.closeDecidedBy(tx, 'ap-1', 'person'));
      expect(closed.map(({ id, closedBy, version }) => [id, closedBy, version]).sort()).toEqual([
        ['w1', 'person', 2],
        ['w3', 'person', 2],
      ]);
      expect(['w1', 'w2', 'w3'].map((id) => get(id)?.closedAtMs)).toEqual([BENCH_START_MS, undefined, BENCH_START_MS]);
    });

    it('lists what is open, newest first, of one session when asked', () => {
      open();
      open({ id: 'w2', session: 's2' });
      open({ id: 'w3' });
      open({ id: 'over', expiresAtMs: BENCH_START_MS });
      open({ id: 'used', maxUses: 1 });
      open({ id: 'w4', maxUses: 2, origin: 'wn-b' });
      claim('used');
      claim('w4');
      close('w3');
      const list = (key?: { origin: string; session: string }) =>
        at().bench.database.withReadTx((tx) =>
          at()
            .store.listOpen(tx, { nowMs: at().bench.database.nowMs(), ...(key === undefined ? {} : { key }) })
            .map(({ id }) => id),
        );
      expect([list(), list({ origin: 'wn-a', session: 's1' })]).toEqual([['w4', 'w2', 'w1'], ['w1']]);
    });

    it('closes every one, expired ones too', () => {
      open();
      open({ id: 'w2', expiresAtMs: BENCH_START_MS });
      open({ id: 'w3' });
      close('w3');
      expect(at().bench.database.withWriteTx((tx) => at().store.endAll(tx))).toHaveLength(2);
      expect(['w1', 'w2', 'w3'].map((id) => get(id)?.closedBy)).toEqual(['node', 'node', 'person']);
      expect(get('w1')?.version).toBe(2);
    });

    it('prunes what ended over thirty days ago, some at a time', () => {
      for (const id of ['w1', 'w2', 'w3']) open({ id });
      const prune = (limit: number) => at().bench.database.withWriteTx((tx) => at().store.prune(believed(tx), limit));
      at().bench.clock.advance(HOUR_MS + 30 * DAY_MS - 1);
      expect(prune(9)).toBe(0);
      at().bench.clock.advance(1);
      expect([prune(2), prune(2), get()]).toEqual([2, 1, undefined]);
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
