import type { ApproverStore } from '@writ/lease-store';
import { expect, it } from 'vitest';
import { BENCH_START_MS, type MakeStore } from './store-bench.ts';
import { withBench } from './with-bench.ts';

/** What every ApproverStore does. */
export function describeApproverStoreContract(name: string, make: MakeStore<ApproverStore>): void {
  withBench(`${name} as an ApproverStore`, make, (at) => {
    const enroll = (id: string, publicKey = `key of ${id}`) =>
      at().bench.database.withWriteTx((tx) =>
        at().store.enroll(tx, { id, kind: 'passphrase', publicKey, label: 'me' }),
      );
    const remove = (id: string) => at().bench.database.withWriteTx((tx) => at().store.remove(tx, id));
    const get = (id: string) => at().bench.database.withReadTx((tx) => at().store.get(tx, id));
    const active = () =>
      at().bench.database.withReadTx((tx) =>
        at()
          .store.listActive(tx)
          .map(({ id }) => id),
      );

    it('gives back who was enrolled, in order', () => {
      enroll('b');
      at().bench.clock.advance(1);
      enroll('a');
      const approver = {
        id: 'b',
        kind: 'passphrase',
        publicKey: 'key of b',
        label: 'me',
        enrolledAtMs: BENCH_START_MS,
      };
      expect([get('b'), get('none'), active()]).toEqual([approver, undefined, ['b', 'a']]);
    });

    it('takes an id once, also after its removal', () => {
      expect([enroll('a'), enroll('a', 'another key')]).toEqual([true, false]);
      expect(get('a')?.publicKey).toBe('key of a');
      expect([remove('a'), remove('a'), remove('none'), enroll('a')]).toEqual([true, false, false, false]);
      expect([active(), get('a')?.removedAtMs]).toEqual([[], BENCH_START_MS]);
    });

    it('loses the one that is removed, and no other', () => {
      for (const id of ['a', 'b', 'c']) enroll(id);
      expect([remove('b'), active()]).toEqual([true, ['a', 'c']]);
    });

    it('leaves out a row that it cannot read, and reports it', () => {
      enroll('a');
      enroll('b');
      at().bench.database.withWriteTx((tx) => tx.prepare(`UPDATE approver SET public_key = '' WHERE id = 'a'`).run());
      expect([active(), get('a')]).toEqual([['b'], undefined]);
      expect(at().bench.database.quarantined()).toHaveLength(1);
    });
  });
}
