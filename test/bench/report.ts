import type { Summary } from './statistics.ts';
import type { Subject } from './subject.ts';

/** A ratio with the goal that it has. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  /** The goal: `value` at most this. */
  readonly atMost: number;
  readonly met: boolean;
}

/** Which medians a goal compares, by the names of subjects. */
export interface Comparison {
  readonly of: string;
  readonly over: string;
  readonly atMost: number;
}

const GOAL_1: readonly Comparison[] = [
  { of: 'delegate', over: 'spawn+unary', atMost: 1.6 },
  { of: 'delegate', over: 'ssh-warm', atMost: 0.3 },
  { of: 'delegate', over: 'ssh-cold', atMost: 0.015 },
];
/** A subject's own tail beside its median. */
const TAIL = { of: 'delegate', atMost: 3 } as const;

const ratio = (name: string, value: number, atMost: number): Ratio => ({ name, value, atMost, met: value <= atMost });

/** The ratios of those comparisons whose subjects were both measured. */
export function ratiosOf(summaries: ReadonlyMap<string, Summary>, comparisons: readonly Comparison[]): Ratio[] {
  return comparisons.flatMap(({ of, over, atMost }) => {
    const [top, bottom] = [summaries.get(of), summaries.get(over)];
    return top && bottom ? [ratio(`${of} / ${over}`, top.medianMs / bottom.medianMs, atMost)] : [];
  });
}

/** The ratios of goal 1 as far as their subjects were measured. */
export function goal1(summaries: ReadonlyMap<string, Summary>): Ratio[] {
  const ratios = ratiosOf(summaries, GOAL_1);
  const own = summaries.get(TAIL.of);
  return own ? [...ratios, ratio(`${TAIL.of} p99 / median`, own.p99Ms / own.medianMs, TAIL.atMost)] : ratios;
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`.padStart(10);

/** The report as lines for a person. */
export function reportLines(
  subjects: readonly Subject[],
  summaries: ReadonlyMap<string, Summary>,
  ratios: readonly Ratio[],
): string[] {
  const width = Math.max(...subjects.map(({ name }) => name.length));
  const rows = subjects.flatMap(({ name, does }) => {
    const summary = summaries.get(name);
    if (summary === undefined) return [];
    const { medianMs, p99Ms, samples } = summary;
    return [`${name.padEnd(width)} ${ms(medianMs)} ${ms(p99Ms)} ${String(samples).padStart(7)}  ${does}`];
  });
  const goals = ratios.map(
    ({ name, value, atMost, met }) =>
      `${name.padEnd(24)} ${value.toFixed(3).padStart(8)}  goal ≤ ${String(atMost).padEnd(5)}  ${met ? 'met' : 'NOT MET'}`,
  );
  return [`${''.padEnd(width)} ${'median'.padStart(10)} ${'p99'.padStart(10)} samples`, ...rows, '', ...goals];
}
