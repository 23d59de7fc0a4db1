/**
 * The items of `source` until `signal` aborts; then it ends at once, without waiting for an item that may never
 * come, and tells `source` to end.
 */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let stop: () => void = () => {};
  const aborted = new Promise<'aborted'>((resolve) => {
    stop = () => resolve('aborted');
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  let finished = false;
  try {
    while (true) {
      const next = await Promise.race([iterator.next(), aborted]);
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
