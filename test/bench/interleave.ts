import type { Subject } from './subject.ts';

/** How often the subjects are run. */
export interface Plan {
  readonly rounds: number;
  /** Rounds before the first that counts. */
  readonly warmUp: number;
  /** Milliseconds of what is measured; absent: of the clock on the wall. */
  readonly now?: () => number;
}

/** Order of a round: each subject stands at each place equally often. */
export function rotated<T>(items: readonly T[], by: number): T[] {
  const at = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

/**
 * Times all subjects in turn, round after round, so that whatever the machine does meanwhile meets each of them alike.
 * Resolves with the samples of each subject by its name, milliseconds.
 */
export async function interleave(subjects: readonly Subject[], plan: Plan): Promise<Map<string, number[]>> {
  const samples = new Map(subjects.map(({ name }): [string, number[]] => [name, []]));
  const now = plan.now ?? (() => performance.now());
  for (let round = -plan.warmUp; round < plan.rounds; round++) {
    for (const subject of rotated(subjects, round + plan.warmUp)) {
      if (round % (subject.every ?? 1) !== 0) continue;
      const startedAt = now();
      await subject.once();
      if (round >= 0) samples.get(subject.name)?.push(now() - startedAt);
    }
  }
  return samples;
}
