import { type Clock, nextTurn } from '@writ/core';

/** A computation that may be interrupted wherever it yields; what it returns does not depend on that. */
export type Sliced<T> = Generator<undefined, T, undefined>;

/** Longest that a computation goes on before others have their turn, milliseconds. */
const SLICE_MS = 1;

/** The result, without a rest. */
export function finish<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/**
 * The result, computed in slices, so that others are served meanwhile; they are first, since whoever calls may have
 * computed for long already. Rejects with what the computation throws.
 */
export async function finishInSlices<T>(work: Sliced<T>, clock: Pick<Clock, 'monotonicMs'>): Promise<T> {
  await nextTurn();
  for (let sinceMs = clock.monotonicMs(); ; ) {
    const step = work.next();
    if (step.done) return step.value;
    if (clock.monotonicMs() - sinceMs < SLICE_MS) continue;
    await nextTurn();
    sinceMs = clock.monotonicMs();
  }
}
