import { createFakeClock } from '@writ/testkit/clock';
import { expect, it } from 'vitest';
import { createPeerTime } from './peer-time.ts';

const NEVER = new AbortController().signal;

/** Whether something has come to an end before the clock moves on. */
async function isDone(work: Promise<unknown>): Promise<boolean> {
  let done = false;
  const note = (): void => {
    done = true;
  };
  work.then(note, note);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return done;
}

it('lets a peer go on until it has taken a second, then for a quarter of the time', async () => {
  const clock = createFakeClock(0);
  const time = createPeerTime(clock);
  const work = (peer = 'alpha') => time.spend(peer, 0, NEVER, () => clock.advance(1_000));
  expect(await isDone(work())).toBe(true);
  expect(await isDone(work())).toBe(true);
  const waits = time.spend('alpha', 0, NEVER, () => 'done');
  expect(await isDone(waits)).toBe(false);
  expect(await isDone(time.spend('beta', 0, NEVER, () => 'done'))).toBe(true);
  clock.advance(4_000);
  expect(await waits).toBe('done');
});

it('has no two pieces of one peer wake at once: each waits for what the one before has cost', async () => {
  const clock = createFakeClock(0);
  const time = createPeerTime(clock);
  await time.spend('alpha', 10_000, NEVER, () => {});
  const done: number[] = [];
  const streams = [1, 2, 3].map((one) => time.spend('alpha', 2_500, NEVER, () => done.push(one)));
  expect(await isDone(Promise.race(streams))).toBe(false);
  clock.advance(4_000);
  expect(await isDone(Promise.all(streams))).toBe(false);
  expect(done).toEqual([1]);
  clock.advance(2_000);
  expect(await isDone(Promise.all(streams))).toBe(false);
  expect(done).toEqual([1, 2]);
  clock.advance(2_000);
  await Promise.all(streams);
});

it('counts each event besides, also where the work fails', async () => {
  const time = createPeerTime(createFakeClock(0));
  const fail = (): never => {
    throw new Error('no room');
  };
  await expect(time.spend('alpha', 10_001, NEVER, fail)).rejects.toThrow('no room');
  expect(await isDone(time.spend('alpha', 1, NEVER, () => {}))).toBe(false);
});

it('waits no longer than it is wanted, and not at all for work of the node’s own', async () => {
  const time = createPeerTime(createFakeClock(0));
  for (const peer of ['alpha', 'self']) await time.spend(peer, 100_000, NEVER, () => {});
  const stop = new AbortController();
  const waits = time.spend('alpha', 1, stop.signal, () => {});
  expect(await isDone(waits)).toBe(false);
  stop.abort();
  expect(await isDone(waits)).toBe(true);
  expect(await isDone(time.spend('self', 1, NEVER, () => {}))).toBe(true);
});
