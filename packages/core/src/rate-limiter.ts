import type { Clock } from './clock.ts';

/** A token bucket: refilled with `perSecond`, holding at most `burst`. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Token buckets by key, all at one rate. */
export interface RateLimiter {
  /** Takes `cost` tokens of `key`; false where there are not as many, and nothing is taken then. */
  take(key: string, cost: number): boolean;
  /** Whether `take` would take them. */
  has(key: string, cost: number): boolean;
  /** Takes tokens for what turned out to cost more; a key may owe up to a burst. */
  charge(key: string, cost: number): void;
  /** Until `key` owes nothing, milliseconds. */
  owedMs(key: string): number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * Buckets that are remembered only while they are not full. `maxKeys` bounds the memory: with that many keys short of
 * tokens at once, a new key is refused, so that a flood from many addresses does not wash away what is known.
 */
export function createRateLimiter(rate: Rate, maxKeys: number, clock: Pick<Clock, 'monotonicMs'>): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const level = (bucket: Bucket, nowMs: number): number =>
    Math.min(rate.burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * rate.perSecond);

  function forgetFull(nowMs: number): void {
    for (const [key, bucket] of buckets) {
      if (level(bucket, nowMs) >= rate.burst) buckets.delete(key);
    }
  }

  /** What there is for a key; none for a new one that there is no room for. */
  function tokensOf(key: string, nowMs: number): number {
    const known = buckets.get(key);
    if (known !== undefined) return level(known, nowMs);
    if (buckets.size >= maxKeys) forgetFull(nowMs);
    return buckets.size >= maxKeys ? 0 : rate.burst;
  }

  return {
    take(key, cost) {
      const nowMs = clock.monotonicMs();
      const tokens = tokensOf(key, nowMs);
      if (tokens < cost) return false;
      buckets.set(key, { tokens: tokens - cost, atMs: nowMs });
      return true;
    },
    has: (key, cost) => tokensOf(key, clock.monotonicMs()) >= cost,
    charge(key, cost) {
      const nowMs = clock.monotonicMs();
      const known = buckets.get(key);
      if (known === undefined && buckets.size >= maxKeys) forgetFull(nowMs);
      const tokens = known === undefined ? rate.burst : level(known, nowMs);
      buckets.set(key, { tokens: Math.max(-rate.burst, tokens - cost), atMs: nowMs });
    },
    owedMs(key) {
      const known = buckets.get(key);
      const tokens = known === undefined ? rate.burst : level(known, clock.monotonicMs());
      return tokens >= 0 ? 0 : (-tokens / rate.perSecond) * 1000;
    },
  };
}
