import { describe, expect, it } from 'vitest';
import { createRateLimiter } from './rate-limiter.ts';

function setUp(maxKeys = 10) {
  const clock = { now: 0, monotonicMs: () => clock.now };
  return { clock, limiter: createRateLimiter({ perSecond: 2, burst: 4 }, maxKeys, clock) };
}

describe('rate limiter', () => {
  it('gives a burst, then the rate, and never more than the burst', () => {
    const { clock, limiter } = setUp();
    const takeAll = (): number => {
      let taken = 0;
      while (limiter.take('a', 1)) taken += 1;
      return taken;
    };
    expect(takeAll()).toBe(4);
    clock.now += 1_000;
    expect(takeAll()).toBe(2);
    clock.now += 1_000_000;
    expect(takeAll()).toBe(4);
  });

  it('takes nothing where it refuses', () => {
    const { limiter } = setUp();
    expect(limiter.take('a', 5)).toBe(false);
    expect(limiter.take('a', 4)).toBe(true);
  });

  it('says what it would take, and takes nothing by that', () => {
    const { limiter } = setUp(1);
    expect([limiter.has('a', 5), limiter.has('a', 4), limiter.has('a', 4)]).toEqual([false, true, true]);
    expect(limiter.take('a', 4)).toBe(true);
    expect([limiter.has('a', 1), limiter.has('b', 1)]).toEqual([false, false]);
  });

  it('keeps keys apart', () => {
    const { limiter } = setUp();
    expect(limiter.take('a', 4)).toBe(true);
    expect(limiter.take('b', 4)).toBe(true);
    expect(limiter.take('a', 1)).toBe(false);
  });

  it('refuses a new key rather than forget one that is short, and takes it once that is full again', () => {
    const { clock, limiter } = setUp(2);
    limiter.take('a', 4);
    limiter.take('b', 4);
    expect(limiter.take('c', 1)).toBe(false);
    clock.now += 1_000;
    expect(limiter.take('c', 1)).toBe(false);
    expect(limiter.take('a', 3)).toBe(false);
    clock.now += 1_000;
    expect(limiter.take('c', 1)).toBe(true);
  });
});
