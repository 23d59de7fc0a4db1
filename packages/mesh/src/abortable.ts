/** The outcome of `promise`, or the reason of `signal` as soon as that is aborted. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) {
      promise.catch(() => undefined);
      abort();
      return;
    }
    signal.addEventListener('abort', abort, { once: true });
    // Before the outcome is told: who hears it ends the call, and an abort that nobody listens to costs nothing.
    const settle = <V>(tell: (value: V) => void, value: V): void => {
      signal.removeEventListener('abort', abort);
      tell(value);
    };
    promise.then(
      (value) => settle(resolve, value),
      (error: unknown) => settle(reject, error),
    );
  });
}

/** The items of `source`; throws the reason of `signal` as soon as that is aborted, whatever the source is doing. */
export async function* eachUntilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await untilAborted(Promise.resolve(iterator.next()), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a source that hangs must not hang its reader.
    Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
