import { type Clock, type WritCode, WritError } from '@writ/core';

/** Reads the messages of an exchange one step at a time, each within its own time. */
export interface StepReader<T> {
  /** The next message; throws `code` after `withinMs` and where the other end is gone. */
  next(withinMs: number): Promise<T>;
  /** Resolves when the other end says anything more, or goes away. Never rejects. */
  left(): Promise<void>;
  /** Lets go of the stream. Does not wait: a stream that hangs must not hold its reader. */
  close(): void;
}

export function createStepReader<T>(
  messages: AsyncIterable<T>,
  options: { readonly clock: Clock; readonly signal?: AbortSignal; readonly code: WritCode; readonly who: string },
): StepReader<T> {
  const { clock, signal, code, who } = options;
  const iterator = messages[Symbol.asyncIterator]();
  return {
    async next(withinMs) {
      const result = await withDeadline(iterator.next(), withinMs, clock, signal, () => {
        return new WritError(code, `${who} did not answer in time`);
      });
      if (result.done) throw new WritError(code, `${who} went away before the pairing was done`);
      return result.value;
    },
    left: () =>
      iterator.next().then(
        () => undefined,
        () => undefined,
      ),
    close() {
      void iterator.return?.(undefined)?.then(undefined, () => undefined);
    },
  };
}

/** `promise`, or the error of `late` after `withinMs`, or CANCELLED when `signal` aborts first. */
function withDeadline<T>(
  promise: Promise<T>,
  withinMs: number,
  clock: Clock,
  signal: AbortSignal | undefined,
  late: () => WritError,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = clock.setTimer(withinMs, () => settle(() => reject(late())));
    const aborted = (): void => settle(() => reject(cancelled()));
    const settle = (then: () => void): void => {
      stop();
      signal?.removeEventListener('abort', aborted);
      then();
    };
    signal?.addEventListener('abort', aborted, { once: true });
    if (signal?.aborted) aborted();
    promise.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

/** What an exchange that this side's person stopped ends with. */
export function cancelled(): WritError {
  return new WritError('CANCELLED', 'stopped before anything was stored');
}
