import type { SpanKind } from '@writ/core';

/** Counts calls and how long they took. */
export interface CallMeter {
  count(name: string, kind: SpanKind, code: string, ms: number): void;
  /** As Prometheus reads it. */
  lines(): readonly string[];
}

/** Upper ends of the buckets, seconds. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 600];

/** Combinations that are told apart at most; names and codes are closed sets, and this is the guard if they were not. */
const MOST_SERIES = 2_000;

interface Series {
  readonly labels: string;
  readonly counts: number[];
  count: number;
  seconds: number;
}

export function createCallMeter(): CallMeter {
  const all = new Map<string, Series>();
  return {
    count(name, kind, code, ms) {
      const labels = `name="${name}",kind="${kind}",code="${code}"`;
      let series = all.get(labels);
      if (series === undefined) {
        if (all.size >= MOST_SERIES) return;
        series = { labels, counts: BUCKETS.map(() => 0), count: 0, seconds: 0 };
        all.set(labels, series);
      }
      const seconds = ms / 1000;
      series.count += 1;
      series.seconds += seconds;
      for (const [at, upper] of BUCKETS.entries()) {
        if (seconds <= upper) series.counts[at] = (series.counts[at] ?? 0) + 1;
      }
    },
    lines: () => [
      '# HELP writ_call_seconds Calls of the gateway, calls between nodes and runs of tasks, by how they ended.',
      '# TYPE writ_call_seconds histogram',
      ...[...all.values()].flatMap(linesOf),
    ],
  };
}

function linesOf({ labels, counts, count, seconds }: Series): readonly string[] {
  return [
    ...BUCKETS.map((upper, at) => `writ_call_seconds_bucket{${labels},le="${upper}"} ${counts[at]}`),
    `writ_call_seconds_bucket{${labels},le="+Inf"} ${count}`,
    `writ_call_seconds_sum{${labels}} ${seconds}`,
    `writ_call_seconds_count{${labels}} ${count}`,
  ];
}
