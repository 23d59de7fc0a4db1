import type { Delivery, ResultStore } from '@writ/task-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BENCH_START_MS, type MakeStore, openStoreBench, type StoreBench } from './store-bench.ts';

const DIGEST = 'a'.repeat(64);
const DELIVERY = { task: 'm1', peer: 'wn-b', result: DIGEST, standing: 'pinned' } as const;

/** What every ResultStore does. */
export function describeResultStoreContract(name: string, make: MakeStore<ResultStore>): void {
  describe(`${name} as a ResultStore`, () => {
    let bench: StoreBench;
    let store: ResultStore;
    beforeEach(async () => {
      bench = await openStoreBench();
      store = make();
    });
    afterEach(() => bench.database.close());
    const deliver = (more: Partial<Pick<Delivery, 'task' | 'peer' | 'result' | 'standing'>> = {}): void =>
      bench.database.withWriteTx((tx) => store.putDelivery(tx, { ...DELIVERY, ...more }));
    const delivery = (task = 'm1') => bench.database.withReadTx((tx) => store.delivery(tx, task));
    const owed = (peer: string, limit = 10) =>
      bench.database.withReadTx((tx) => store.listUnacknowledged(tx, peer, limit).map(({ task }) => task));
    const acknowledge = (...tasks: string[]): void =>
      bench.database.withWriteTx((tx) => store.setAcknowledged(tx, tasks));

    it('keeps an envelope byte for byte; the first one stays', () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      bench.database.withWriteTx((tx) => {
        store.putEnvelope(tx, DIGEST, bytes);
        store.putEnvelope(tx, DIGEST, new Uint8Array(3));
      });
      const [found, none] = bench.database.withReadTx((tx) => [
        store.envelope(tx, DIGEST),
        store.envelope(tx, 'b'.repeat(64)),
      ]);
      expect(Uint8Array.from(found ?? [])).toEqual(bytes);
      expect(none).toBeUndefined();
    });

    it('keeps the first receipt of a task, with its time', () => {
      const put = (byte: number) =>
        bench.database.withWriteTx((tx) =>
          store.putReceipt(tx, { task: 't1', result: DIGEST, bytes: Uint8Array.of(byte) }),
        );
      expect(put(1)).toBe(true);
      bench.clock.advance(5);
      expect(put(2)).toBe(false);
      const receipt = bench.database.withReadTx((tx) => store.receipt(tx, 't1'));
      expect(receipt).toMatchObject({ result: DIGEST, atMs: BENCH_START_MS });
      expect([...(receipt?.bytes ?? [])]).toEqual([1]);
      expect(bench.database.withReadTx((tx) => store.receipt(tx, 't2'))).toBeUndefined();
    });

    it('gives back a delivery with how its signer stands; the first one stays', () => {
      deliver();
      deliver({ task: 'm2', standing: { vouchedBy: 'wn-c' } });
      bench.clock.advance(5);
      deliver({ result: 'b'.repeat(64) });
      expect(delivery()).toEqual({ ...DELIVERY, receivedAtMs: BENCH_START_MS });
      expect(delivery('m2')?.standing).toEqual({ vouchedBy: 'wn-c' });
      expect(delivery('m3')).toBeUndefined();
    });

    it('lists what is owed a receipt by peer, oldest first, until it is acknowledged', () => {
      for (const task of ['m3', 'm1', 'm2']) {
        deliver({ task });
        bench.clock.advance(1);
      }
      deliver({ task: 'm4', peer: 'self' });
      const peers = () => [...bench.database.withReadTx((tx) => store.unacknowledgedPeers(tx))].sort();
      expect([owed('wn-b'), owed('wn-b', 2), owed('self')]).toEqual([['m3', 'm1', 'm2'], ['m3', 'm1'], ['m4']]);
      expect(peers()).toEqual(['self', 'wn-b']);
      acknowledge('m3', 'm4', 'none');
      expect([owed('wn-b'), owed('self'), peers()]).toEqual([['m1', 'm2'], [], ['wn-b']]);
      const atMs = delivery('m3')?.acknowledgedAtMs;
      expect(atMs).toBe(BENCH_START_MS + 3);
      bench.clock.advance(5);
      acknowledge('m3');
      expect(delivery('m3')?.acknowledgedAtMs).toBe(atMs);
    });

    it('owes no receipt that was refused, unless it was acknowledged first', () => {
      for (const task of ['m1', 'm2', 'm3']) deliver({ task });
      acknowledge('m1');
      const refuse = (task: string) => bench.database.withWriteTx((tx) => store.setRefused(tx, task));
      for (const task of ['m1', 'm2', 'none']) refuse(task);
      expect([delivery('m1')?.refusedAtMs, delivery('m2')?.refusedAtMs]).toEqual([undefined, BENCH_START_MS]);
      expect(owed('wn-b')).toEqual(['m3']);
      refuse('m3');
      expect(bench.database.withReadTx((tx) => store.unacknowledgedPeers(tx))).toEqual([]);
    });

    it('leaves out a delivery that it cannot read, and reports it', () => {
      deliver();
      bench.database.withWriteTx((tx) => tx.prepare(`UPDATE delivery SET standing = '"trusted"'`).run());
      expect([delivery(), owed('wn-b')]).toEqual([undefined, []]);
      expect(bench.database.quarantined().map((row) => row.key)).toEqual(['m1']);
    });
  });
}
