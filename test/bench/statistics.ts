/** What is kept of the samples of one subject, milliseconds. */
export interface Summary {
  readonly samples: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly leastMs: number;
}

/** The value below which `share` (0 to 1) of the samples lie, by the nearest-rank method. Throws a RangeError without samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('no samples');
  return value;
}

/** Median, 99th percentile and least of the samples. */
export function summarize(samples: readonly number[]): Summary {
  return {
    samples: samples.length,
    medianMs: percentile(samples, 0.5),
    p99Ms: percentile(samples, 0.99),
    leastMs: percentile(samples, 0),
  };
}
