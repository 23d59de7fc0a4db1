import { createFakeClock } from '@writ/testkit/clock';
import { expect, it } from 'vitest';
import { createPeerTime } from './peer-time.ts';

const NEVER = new AbortController().signal;

/** Resolves to whether it was ready before the clock moved. */
async function isReady(ready: Promise<void>): Promise<boolean> {
  let done = false;
  void ready.then(() => {
    done = true;
  });
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return done;
}

it('lets a peer go on until it has taken a second, then for a quarter of the time', async () => {
  const clock = createFakeClock(0);
  const time = createPeerTime(clock);
  const work = (ms: number): void => time.spend('alpha', 0, () => clock.advance(ms));
  work(1_000);
  expect(await isReady(time.ready('alpha', NEVER))).toBe(true);
  work(1_000);
  const waits = time.ready('alpha', NEVER);
  expect(await isReady(waits)).toBe(false);
  expect(await isReady(time.ready('beta', NEVER))).toBe(true);
  clock.advance(4_000);
  expect(await isReady(waits)).toBe(true);
});

it('counts each event besides, also where the work fails', async () => {
  const time = createPeerTime(createFakeClock(0));
  const fail = (): never => {
    throw new Error('no room');
  };
  expect(() => time.spend('alpha', 5_001, fail)).toThrow('no room');
  expect(await isReady(time.ready('alpha', NEVER))).toBe(false);
});

it('waits no longer than it is wanted', async () => {
  const time = createPeerTime(createFakeClock(0));
  time.spend('alpha', 6_000, () => {});
  const stop = new AbortController();
  const waits = time.ready('alpha', stop.signal);
  expect(await isReady(waits)).toBe(false);
  stop.abort();
  expect(await isReady(waits)).toBe(true);
});
