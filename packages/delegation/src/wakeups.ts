/** Tells watchers that something about a key (a task id) changed. Holds nothing but who waits. */
export interface Wakeups {
  /** Resolves at the next `wake` of `key`, when `signal` aborts, or at `close`. Registered before it returns. */
  wait(key: string, signal?: AbortSignal): Promise<void>;
  wake(key: string): void;
  /** Wakes everybody, and from now on at once. */
  close(): void;
  readonly closed: boolean;
}

/**
 * Watchers read rows first and wait only when there are none; both happen without a pause between them, so that no
 * wake-up is lost.
 */
export function createWakeups(): Wakeups {
  const waiting = new Map<string, Set<() => void>>();
  let closed = false;

  function wake(key: string): void {
    const waiters = waiting.get(key);
    if (!waiters) return;
    waiting.delete(key);
    for (const done of waiters) done();
  }

  return {
    wait(key, signal) {
      if (closed || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const waiters = waiting.get(key) ?? new Set();
        waiting.set(key, waiters);
        const done = (): void => {
          signal?.removeEventListener('abort', done);
          waiters.delete(done);
          if (waiters.size === 0 && waiting.get(key) === waiters) waiting.delete(key);
          resolve();
        };
        waiters.add(done);
        signal?.addEventListener('abort', done, { once: true });
      });
    },
    wake,
    close() {
      closed = true;
      for (const key of [...waiting.keys()]) wake(key);
    },
    get closed() {
      return closed;
    },
  };
}
