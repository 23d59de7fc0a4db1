import { interleave } from './interleave.ts';
import { type Comparison, ratiosOf, reportLines } from './report.ts';
import { summarize } from './statistics.ts';
import type { Subject } from './subject.ts';

const WARM_UP_ROUNDS = 3;

/** Sets up what can be set up; what cannot is named, and the rest is still measured. */
export async function setUp(subjects: readonly Subject[]): Promise<{ ready: Subject[]; failures: string[] }> {
  const ready: Subject[] = [];
  const failures: string[] = [];
  for (const subject of subjects) {
    try {
      await subject.setup();
      await subject.once();
      ready.push(subject);
    } catch (error) {
      failures.push(`${subject.name} is not measured: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { ready, failures };
}

/** Ends what the subjects started, the last first. */
export async function tearDown(subjects: readonly Subject[]): Promise<void> {
  for (const subject of subjects.toReversed()) {
    await subject.teardown().catch((error: unknown) => console.error(`${subject.name}: ${String(error)}`));
  }
}

/** One goal: all of its subjects in turn, and its comparisons. */
export async function measure(what: {
  readonly goal: number;
  readonly subjects: readonly Subject[];
  readonly comparisons: readonly Comparison[];
  readonly rounds: number;
}): Promise<{ readonly lines: readonly string[]; readonly report: object }> {
  const { goal, subjects, comparisons, rounds } = what;
  try {
    const { ready, failures } = await setUp(subjects);
    const samples = await interleave(ready, { rounds, warmUp: WARM_UP_ROUNDS });
    const summaries = new Map([...samples].map(([name, values]) => [name, summarize(values)]));
    const ratios = ratiosOf(summaries, comparisons);
    const report = { goal, rounds, subjects: Object.fromEntries(summaries), ratios, failures };
    return { lines: [...reportLines(ready, summaries, ratios), ...failures], report };
  } finally {
    await tearDown(subjects);
  }
}
