import { describe, expect, it } from 'vitest';
import { percentile, summarize } from './statistics.ts';

describe('percentile', () => {
  it('takes the nearest rank whatever the order', () => {
    const samples = [5, 1, 4, 2, 3];
    expect([0, 0.2, 0.5, 0.99, 1].map((share) => percentile(samples, share))).toEqual([1, 1, 3, 5, 5]);
  });

  it('sees one slow sample in a hundred only from the 99th percentile on', () => {
    const samples = [...Array.from({ length: 98 }, () => 1), 50, 90];
    expect(percentile(samples, 0.98)).toBe(1);
    expect(percentile(samples, 0.99)).toBe(50);
  });

  it('refuses to say anything about no samples', () => {
    expect(() => percentile([], 0.5)).toThrow(RangeError);
  });
});

describe('summarize', () => {
  it('leaves the samples as they were', () => {
    const samples = [3, 1, 2];
    expect(summarize(samples)).toEqual({ samples: 3, medianMs: 2, p99Ms: 3, leastMs: 1 });
    expect(samples).toEqual([3, 1, 2]);
  });
});
