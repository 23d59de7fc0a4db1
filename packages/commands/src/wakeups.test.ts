import { expect, it } from 'vitest';
import { createWakeups } from './wakeups.ts';

it('leaves nothing with the signal of a caller that waits many times', async () => {
  const wakeups = createWakeups();
  const news = wakeups.listen('a');
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  Object.assign(signal, {
    addEventListener(...args: Parameters<typeof addEventListener>) {
      listeners.add(args[1]);
      addEventListener.apply(signal, args);
    },
    removeEventListener(...args: Parameters<typeof removeEventListener>) {
      listeners.delete(args[1]);
      removeEventListener.apply(signal, args);
    },
  });
  for (let i = 0; i < 100; i++) {
    const waiting = news.next(signal);
    wakeups.wake('a');
    await waiting;
  }
  expect(listeners.size).toBe(0);
});

it('wakes at once for news since the last wait, and when the caller leaves', async () => {
  const wakeups = createWakeups();
  const news = wakeups.listen('a');
  wakeups.wake('a');
  const leaving = new AbortController();
  await news.next(leaving.signal);
  const waiting = news.next(leaving.signal);
  leaving.abort();
  await waiting;
  news.stop();
});
