/** Whoever waits for news of a command. */
export interface Wakeups {
  wake(id: string): void;
  /** Counts news of one command from now on. */
  listen(id: string): Listening;
}

/** News since the last wait wakes at once: none is lost between a look and the wait after it. */
export interface Listening {
  /** Resolves at the next news, or when `signal` aborts. */
  next(signal: AbortSignal): Promise<void>;
  stop(): void;
}

export function createWakeups(): Wakeups {
  const listeners = new Map<string, Set<() => void>>();
  return {
    wake(id) {
      for (const tell of listeners.get(id) ?? []) tell();
    },
    listen(id) {
      let isNews = false;
      let waiting: () => void = () => undefined;
      const tell = (): void => {
        isNews = true;
        waiting();
      };
      const all = listeners.get(id) ?? new Set();
      listeners.set(id, all.add(tell));
      return {
        async next(signal) {
          if (!isNews && !signal.aborted) {
            await new Promise<void>((resolve) => {
              waiting = () => {
                // A signal lives as long as its caller, who may wait a thousand times.
                signal.removeEventListener('abort', waiting);
                resolve();
              };
              signal.addEventListener('abort', waiting, { once: true });
            });
          }
          isNews = false;
        },
        stop() {
          all.delete(tell);
          if (all.size === 0) listeners.delete(id);
        },
      };
    },
  };
}
