import type { Attempt } from './attempt.ts';

/** Sets of folders that are made ahead, so that no run waits for its own. */
export interface Spares {
  take(): Promise<Attempt>;
  /** Those that nobody took. */
  close(): Promise<readonly Attempt[]>;
}

const MOST = 4;

export function createSpares(make: () => Promise<Attempt>): Spares {
  const spares: Promise<Attempt>[] = [];
  return {
    async take() {
      const taken = spares.shift()?.catch(make) ?? make();
      while (spares.length < MOST) {
        const spare = make();
        spare.catch(() => {});
        spares.push(spare);
      }
      return taken;
    },
    async close() {
      const made = await Promise.allSettled(spares.splice(0));
      return made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    },
  };
}
