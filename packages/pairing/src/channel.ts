/** A queue between one sender and one reader. */
export interface Channel<T> extends AsyncIterable<T> {
  /** False where the channel has ended. */
  send(value: T): boolean;
  /** The reader gets what was sent before, then the end. Ending twice is harmless. */
  end(): void;
}

/** Ends by itself when `signal` aborts, or when its reader stops. */
export function createChannel<T>(signal?: AbortSignal): Channel<T> {
  const queue: T[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  const end = (): void => {
    ended = true;
    wake?.();
  };
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();

  async function* read(): AsyncGenerator<T> {
    try {
      for (;;) {
        const next = queue.shift();
        if (next !== undefined) yield next;
        else if (ended) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      ended = true;
      signal?.removeEventListener('abort', end);
    }
  }

  return {
    send(value) {
      if (ended) return false;
      queue.push(value);
      wake?.();
      return true;
    },
    end,
    [Symbol.asyncIterator]: read,
  };
}
