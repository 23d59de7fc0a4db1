import type { LeaseStore, NewLease } from '@writ/lease-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BENCH_START_MS, believed, type MakeStore, openStoreBench, type StoreBench } from './store-bench.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const LEASE: NewLease = {
  id: 'l1',
  peer: 'wn-b',
  origin: 'wn-b',
  profile: 'repo-dev',
  closure: ['edit_repo', 'read_repo'],
  workspaces: ['app'],
  issuedBy: 'person',
  expiresAtMs: BENCH_START_MS + HOUR_MS,
  maxExpiresAtMs: BENCH_START_MS + DAY_MS,
};

/** What every LeaseStore does. */
export function describeLeaseStoreContract(name: string, make: MakeStore<LeaseStore>): void {
  describe(`${name} as a LeaseStore`, () => {
    let bench: StoreBench;
    let store: LeaseStore;
    const insert = (change: Partial<NewLease> = {}) =>
      bench.database.withWriteTx((tx) => store.insert(tx, { ...LEASE, ...change }));
    const get = (id = 'l1') => bench.database.withReadTx((tx) => store.get(tx, id));
    const claim = (id = 'l1') => bench.database.withWriteTx((tx) => store.claimUse(tx, id));
    const revoke = (id = 'l1') => bench.database.withWriteTx((tx) => store.revoke(tx, id));
    const prune = (limit = 100) => bench.database.withWriteTx((tx) => store.prune(believed(tx), limit));
    const find = (session?: string) =>
      bench.database.withReadTx((tx) =>
        store
          .findLive(
            tx,
            { peer: 'wn-b', origin: 'wn-b', ...(session === undefined ? {} : { session }) },
            bench.database.nowMs(),
          )
          .map((lease) => lease.id),
      );
    beforeEach(async () => {
      bench = await openStoreBench();
      store = make();
    });
    afterEach(() => bench.database.close());

    it('gives back what was inserted, absent fields absent', () => {
      const inserted = insert();
      expect(inserted).toEqual({ ...LEASE, issuedAtMs: BENCH_START_MS, uses: 0, version: 1 });
      expect(get()).toEqual(inserted);
      const full = insert({ id: 'l2', session: 's1', maxUses: 3, workspaces: [] });
      expect(get('l2')).toEqual(full);
      expect(get('none')).toBeUndefined();
    });

    it('counts uses and moves the version', () => {
      insert();
      expect(claim()).toEqual({ claimed: true });
      expect(claim()).toEqual({ claimed: true });
      expect(get()).toMatchObject({ uses: 2, version: 3 });
    });

    it('serves one of 64 claimers of a single use', () => {
      insert({ maxUses: 1 });
      const claims = Array.from({ length: 64 }, () => claim());
      expect(claims.filter((one) => one.claimed)).toHaveLength(1);
      expect(claims.at(-1)).toEqual({ claimed: false, refusal: 'used-up' });
      expect(get()?.uses).toBe(1);
    });

    it('says why a claim is refused', () => {
      insert({ id: 'gone' });
      revoke('gone');
      insert({ id: 'old' });
      bench.clock.advance(HOUR_MS);
      const refusals = ['none', 'gone', 'old'].map((id) => claim(id));
      expect(refusals.map((one) => one.claimed === false && one.refusal)).toEqual(['missing', 'revoked', 'expired']);
    });

    it('gives expiry no grace', () => {
      insert();
      bench.clock.advance(HOUR_MS - 1);
      expect([find(), claim().claimed]).toEqual([['l1'], true]);
      bench.clock.advance(1);
      expect([find(), claim().claimed]).toEqual([[], false]);
    });

    it('refuses every claim while the clock stands back, and never revives what has expired', () => {
      insert();
      bench.clock.advance(HOUR_MS);
      expect(claim()).toEqual({ claimed: false, refusal: 'expired' });
      bench.clock.jump(-30_000);
      expect(claim()).toEqual({ claimed: false, refusal: 'expired' });
      bench.clock.jump(-60_000);
      expect(claim()).toEqual({ claimed: false, refusal: 'clock-backwards' });
    });

    it('gives a use back, never below none, and never to a revoked lease', () => {
      insert({ maxUses: 1 });
      claim();
      const giveBack = () => bench.database.withWriteTx((tx) => store.returnUse(tx, 'l1'));
      giveBack();
      giveBack();
      expect(get()?.uses).toBe(0);
      expect(claim().claimed).toBe(true);
      revoke();
      giveBack();
      expect(claim()).toEqual({ claimed: false, refusal: 'revoked' });
    });

    it('gives a use back to one alone', () => {
      for (const id of ['l1', 'l2']) insert({ id, maxUses: 1 });
      for (const id of ['l1', 'l2']) claim(id);
      bench.database.withWriteTx((tx) => store.returnUse(tx, 'l2'));
      expect([get('l1'), get('l2')]).toMatchObject([
        { uses: 1, version: 2 },
        { uses: 0, version: 3 },
      ]);
    });

    it('revokes once', () => {
      insert();
      expect([revoke(), revoke(), revoke('none')]).toEqual([true, false, false]);
      expect(get()).toMatchObject({ revokedAtMs: BENCH_START_MS, version: 2 });
    });

    it('renews a live one, never past its own maximum, never to an earlier end', () => {
      const first = insert();
      const renew = (before: { id: string; version: number }, expiresAtMs: number) =>
        bench.database.withWriteTx((tx) => store.renew(tx, before, expiresAtMs));
      expect(renew(first, LEASE.maxExpiresAtMs + 1)).toBeUndefined();
      expect(renew(first, LEASE.expiresAtMs)).toBeUndefined();
      expect(get()).toEqual(first);
      const renewed = renew(first, LEASE.maxExpiresAtMs);
      expect(renewed).toEqual({ ...first, expiresAtMs: LEASE.maxExpiresAtMs, version: 2 });
      expect(get()).toEqual(renewed);
    });

    it('renews nothing that is dead or has changed meanwhile, and nothing while the clock stands back', () => {
      const longer = LEASE.expiresAtMs + HOUR_MS;
      const renew = (before: { id: string; version: number }) =>
        bench.database.withWriteTx((tx) => store.renew(tx, before, longer));
      const [old, gone, changed, late] = ['old', 'gone', 'changed', 'late'].map((id) => insert({ id }));
      revoke('gone');
      claim('changed');
      expect([renew(gone!), renew({ ...gone!, version: 2 }), renew(changed!)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      bench.clock.advance(HOUR_MS);
      expect([renew(old!), get('old')]).toEqual([undefined, old]);
      expect(renew(late!)).toBeUndefined();
      // Alive at any time that this node has seen, and still nothing to renew by a clock that cannot be believed.
      const alive = insert({ id: 'alive', expiresAtMs: longer - 1, maxExpiresAtMs: longer + DAY_MS });
      bench.clock.jump(-61_000);
      expect([renew(alive), get('alive')]).toEqual([undefined, alive]);
      bench.clock.jump(61_000);
      expect(renew(alive)?.expiresAtMs).toBe(longer);
    });

    it('finds what is for exactly this peer, origin and session, or for every session', () => {
      insert({ id: 'any' });
      insert({ id: 's1', session: 's1' });
      insert({ id: 'other-origin', origin: 'wn-c' });
      insert({ id: 'other-peer', peer: 'wn-c' });
      insert({ id: 'used', maxUses: 1 });
      claim('used');
      insert({ id: 'revoked' });
      revoke('revoked');
      expect(find().sort()).toEqual(['any']);
      expect(find('s1').sort()).toEqual(['any', 's1']);
      expect(find('s2').sort()).toEqual(['any']);
    });

    it('lists newest first, the dead only when asked, one peer when asked', () => {
      for (const id of ['a', 'b']) insert({ id });
      insert({ id: 'used', maxUses: 2 });
      for (let i = 0; i < 2; i++) claim('used');
      insert({ id: 'over', expiresAtMs: BENCH_START_MS + 1 });
      bench.clock.advance(1);
      insert({ id: 'c', maxUses: 1 });
      insert({ id: 'd', peer: 'wn-c' });
      revoke('b');
      const list = (filter: { peer?: string; includeDead?: boolean }) =>
        bench.database.withReadTx((tx) =>
          store.list(tx, { ...filter, nowMs: bench.database.nowMs() }).map((lease) => lease.id),
        );
      expect(list({})).toEqual(['d', 'c', 'a']);
      expect(list({ peer: 'wn-b' })).toEqual(['c', 'a']);
      expect(find()).toEqual(['c', 'a']);
      expect(list({ peer: 'wn-b', includeDead: true })).toEqual(['c', 'over', 'used', 'b', 'a']);
      expect(list({ includeDead: true })).toEqual(['d', 'c', 'over', 'used', 'b', 'a']);
    });

    it('prunes at most so many, only what has been dead for over thirty days, and what is pruned stays dead', () => {
      for (const id of ['a', 'b', 'c']) insert({ id });
      insert({ id: 'long', expiresAtMs: BENCH_START_MS + 40 * DAY_MS });
      insert({ id: 'revoked', expiresAtMs: BENCH_START_MS + 80 * DAY_MS });
      revoke('revoked');
      bench.clock.advance(30 * DAY_MS - 1);
      expect(prune()).toBe(0);
      bench.clock.advance(1);
      expect(prune()).toBe(1);
      expect(get('revoked')).toBeUndefined();
      bench.clock.advance(HOUR_MS - 1);
      expect(prune()).toBe(0);
      bench.clock.advance(1);
      expect([prune(2), prune(2), prune(2)]).toEqual([2, 1, 0]);
      expect(claim('a')).toEqual({ claimed: false, refusal: 'missing' });
      expect(claim('long').claimed).toBe(true);
    });

    it('leaves out a row that it cannot read, reports it, and goes on', () => {
      insert();
      insert({ id: 'bad' });
      insert({ id: 'worse' });
      bench.database.withWriteTx((tx) => {
        tx.prepare(`UPDATE lease SET closure = 'no json' WHERE id = 'bad'`).run();
        tx.prepare(`UPDATE lease SET workspaces = '{"a":1}' WHERE id = 'worse'`).run();
      });
      expect(find()).toEqual(['l1']);
      expect(get('bad')).toBeUndefined();
      expect(
        bench.database
          .quarantined()
          .map((row) => `${row.table}/${row.key}`)
          .sort(),
      ).toEqual(['lease/bad', 'lease/worse']);
    });
  });
}
