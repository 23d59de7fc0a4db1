import { describe, expect, it } from 'vitest';
import { WritError } from './errors.ts';
import { retryStored, STORE_AGAIN_MS } from './retry-stored.ts';

/** A clock whose timers ring at once, and what waits were asked for. */
function ringing() {
  const waited: number[] = [];
  const setTimer = (delayMs: number, ring: () => void) => {
    waited.push(delayMs);
    queueMicrotask(ring);
    return () => {};
  };
  return { waited, clock: { setTimer } };
}

describe('storing again', () => {
  it('goes on until the database takes it, with a pause after each failure', async () => {
    const { clock, waited } = ringing();
    const failed: unknown[] = [];
    const parts = { clock, stopping: new AbortController().signal, failed: (error: unknown) => failed.push(error) };
    let tries = 0;
    const stored = await retryStored(parts, () => {
      tries += 1;
      if (tries < 3) throw new WritError('DATABASE_ERROR', 'the disk is full');
      return 'stored';
    });
    expect([stored, failed.length, waited]).toEqual(['stored', 2, [STORE_AGAIN_MS, STORE_AGAIN_MS]]);
  });

  it('throws what would go wrong again', async () => {
    const { clock, waited } = ringing();
    const parts = { clock, stopping: new AbortController().signal, failed: () => {} };
    const broken = retryStored(parts, () => {
      throw new Error('a fault of the program');
    });
    await expect(broken).rejects.toThrow('a fault of the program');
    expect(waited).toEqual([]);
  });

  it('gives up when it is told to stop, also while it waits', async () => {
    const stopping = new AbortController();
    const clock = {
      setTimer: () => {
        queueMicrotask(() => stopping.abort());
        return () => {};
      },
    };
    const stored = retryStored({ clock, stopping: stopping.signal, failed: () => {} }, () => {
      throw new WritError('DATABASE_ERROR', 'the disk is full');
    });
    expect(await stored).toBeUndefined();
  });
});
