import { createNodeFactStore } from '@writ/lease-store';
import { describe, expect, it } from 'vitest';
import { createFailingStore, openStoreBench } from './index.ts';

describe('createFailingStore', () => {
  it.each(['before', 'after'] as const)(
    'fails once, %s the effect, and the transaction keeps nothing',
    async (when) => {
      const { database } = await openStoreBench();
      const { store, failNext } = createFailingStore(createNodeFactStore());
      const set = (value: string) => database.withWriteTx((tx) => store.set(tx, 'key', value));
      const get = () => database.withReadTx((tx) => store.get(tx, 'key'));
      failNext('set', new Error('disk full'), when);
      expect(() => set('one')).toThrow('disk full');
      expect(get()).toBeUndefined();
      set('two');
      expect(get()).toBe('two');
      database.close();
    },
  );

  it('has the effect of the call that fails after it', async () => {
    const { database } = await openStoreBench();
    const { store, failNext } = createFailingStore(createNodeFactStore());
    failNext('set', new Error('late'), 'after');
    database.withWriteTx((tx) => {
      expect(() => store.set(tx, 'key', 'kept')).toThrow('late');
    });
    expect(database.withReadTx((tx) => store.get(tx, 'key'))).toBe('kept');
    database.close();
  });
});
