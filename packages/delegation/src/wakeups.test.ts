import { describe, expect, it } from 'vitest';
import { createWakeups } from './wakeups.ts';

describe('wake-ups', () => {
  it('wakes everybody who waits for the key and nobody else', async () => {
    const wakeups = createWakeups();
    const woken: string[] = [];
    const waits = ['a', 'a', 'b'].map((key) => wakeups.wait(key).then(() => woken.push(key)));
    wakeups.wake('a');
    await Promise.all(waits.slice(0, 2));
    expect(woken).toEqual(['a', 'a']);
    wakeups.wake('b');
    await waits[2];
  });

  it('lets a watcher go when its signal aborts, once', async () => {
    const wakeups = createWakeups();
    const stop = new AbortController();
    const waiting = wakeups.wait('a', stop.signal);
    stop.abort();
    await waiting;
    await wakeups.wait('a', stop.signal);
    wakeups.wake('a');
  });

  it('holds nobody after it is closed', async () => {
    const wakeups = createWakeups();
    const waiting = wakeups.wait('a');
    wakeups.close();
    await waiting;
    await wakeups.wait('a');
    expect(wakeups.closed).toBe(true);
  });
});
