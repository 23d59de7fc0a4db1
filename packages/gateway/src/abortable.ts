/**
 * The items of `source` until `signal` aborts; then it ends at once, without waiting for an item that may never
 * come, and tells `source` to end.
 */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  // Of the item that is waited for: a promise that outlived them all would keep each of them.
  let giveUp: () => void = () => {};
  const stop = (): void => giveUp();
  signal.addEventListener('abort', stop, { once: true });
  let finished = false;
  try {
    while (!signal.aborted) {
      const next = await new Promise<IteratorResult<T> | 'aborted'>((resolve, reject) => {
        giveUp = () => resolve('aborted');
        Promise.resolve(iterator.next()).then(resolve, reject);
      });
      if (next === 'aborted') return;
      if (next.done) {
        finished = true;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // A generator that hangs in an await answers `return` only after it; nobody may have to wait for that.
    if (!finished) iterator.return?.()?.then(undefined, () => {});
  }
}
