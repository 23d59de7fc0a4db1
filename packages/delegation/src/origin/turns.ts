/** Bounds how much goes on at once for each key; the others wait in the order in which they came. */
export interface Turns {
  /** Resolves with what gives the turn back, to be called once; undefined where `signal` aborts before. */
  take(key: string, signal: AbortSignal): Promise<(() => void) | undefined>;
}

export function createTurns(most: number): Turns {
  const lines = new Map<string, { busy: number; readonly waiting: Set<() => void> }>();

  return {
    async take(key, signal) {
      const line = lines.get(key) ?? { busy: 0, waiting: new Set() };
      lines.set(key, line);
      while (line.busy >= most && !signal.aborted) await wait(line.waiting, signal);
      if (signal.aborted) {
        // Whoever woke it meant somebody who goes.
        if (line.busy < most) wakeFirst(line.waiting);
        return undefined;
      }
      line.busy += 1;
      return () => {
        line.busy -= 1;
        wakeFirst(line.waiting);
        if (line.busy === 0 && line.waiting.size === 0 && lines.get(key) === line) lines.delete(key);
      };
    },
  };
}

function wakeFirst(waiting: Set<() => void>): void {
  const [first] = waiting;
  first?.();
}

function wait(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      waiting.delete(done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    waiting.add(done);
    signal.addEventListener('abort', done, { once: true });
  });
}
