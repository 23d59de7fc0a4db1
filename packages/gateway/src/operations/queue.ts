/** Values from listeners for one reader, in their order. */
export interface Queue<T> extends AsyncIterable<T> {
  send(value: T): void;
}

/** Ends when `signal` aborts. */
export function createQueue<T>(signal: AbortSignal): Queue<T> {
  const values: T[] = [];
  let wake = (): void => {};
  async function* read(): AsyncGenerator<T> {
    const onAbort = (): void => wake();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        const next = values.shift();
        if (next !== undefined) yield next;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
  return {
    send(value) {
      values.push(value);
      wake();
    },
    [Symbol.asyncIterator]: read,
  };
}
