import { afterEach, beforeEach, describe } from 'vitest';
import { type MakeStore, openStoreBench, type StoreBench } from './store-bench.ts';

/** Runs `tests` with a bench that is opened before and closed after each. */
export function withBench<T>(
  title: string,
  make: MakeStore<T>,
  tests: (at: () => { bench: StoreBench; store: T }) => void,
): void {
  describe(title, () => {
    let at: { bench: StoreBench; store: T };
    beforeEach(async () => {
      at = { bench: await openStoreBench(), store: make() };
    });
    afterEach(() => at.bench.database.close());
    tests(() => at);
  });
}
