import { describe, expect, it } from 'vitest';
import { createRwLock } from './rw-lock.ts';

/** A gate that a test opens by hand. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('the read-write lock', () => {
  it('lets readers in together', async () => {
    const lock = createRwLock();
    const first = gate();
    const reading = lock.read(() => first.opened);
    await lock.read(() => undefined);
    first.open();
    await reading;
  });

  it('lets a writer in only after every earlier reader, and holds later readers back meanwhile', async () => {
    const lock = createRwLock();
    const order: string[] = [];
    const reader = gate();
    const reading = lock.read(async () => {
      await reader.opened;
      order.push('early reader');
    });
    const writing = lock.write(() => void order.push('writer'));
    const late = lock.read(() => void order.push('late reader'));
    reader.open();
    await Promise.all([reading, writing, late]);
    expect(order).toEqual(['early reader', 'writer', 'late reader']);
  });

  it('is free again after a holder that threw', async () => {
    const lock = createRwLock();
    await expect(lock.write(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(lock.read(() => 'in')).resolves.toBe('in');
  });
});
