import { type Client, type ClientReadableStream, Metadata, type ServiceError } from '@grpc/grpc-js';
import { type Clock, WritError } from '@writ/core';
import type { Init, Method } from '@writ/wire';
import { unreachable } from './failure.ts';

/** How a call is bounded. */
export interface CallBounds {
  /** Time for the answer, or for the first sign of a stream, milliseconds. */
  readonly deadlineMs: number;
  /** Ends the call with its reason. */
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'setTimer'>;
  /** Whom the call goes to, for the error of one that is late. */
  readonly peer: { readonly label: string; readonly address: string };
}

/** One call with one answer. Throws a ServiceError, UNREACHABLE, or the reason of the signal. */
export function callUnary<Request, Response>(
  client: Client,
  method: Method<Request, Response>,
  request: Init<Request>,
  bounds: CallBounds,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    if (bounds.signal.aborted) return reject(bounds.signal.reason);
    const settle = (error: ServiceError | null, response?: Response): void => {
      release();
      if (error === null && response !== undefined) resolve(response);
      else reject(error ?? new WritError('INTERNAL', 'an answer without a message'));
    };
    const { path, requestSerialize, responseDeserialize } = method;
    const call = client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, new Metadata(), settle);
    const release = cancelWhen(call, bounds, reject);
  });
}

/** One call with a stream of answers; read only as fast as it is consumed. Throws like `callUnary`. */
export async function* callStream<Request, Response>(
  client: Client,
  method: Method<Request, Response>,
  request: Init<Request>,
  bounds: CallBounds,
): AsyncGenerator<Response> {
  if (bounds.signal.aborted) throw bounds.signal.reason;
  const { path, requestSerialize, responseDeserialize } = method;
  const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, new Metadata());
  yield* readStream(call, bounds);
}

/** The messages of an open stream. The first sign of it is its header, which a peer sends at once. */
export async function* readStream<Response>(
  call: ClientReadableStream<Response>,
  bounds: CallBounds,
): AsyncGenerator<Response> {
  let cause: unknown;
  const release = cancelWhen(call, bounds, (error) => {
    cause = error;
  });
  call.once('metadata', () => release.deadline());
  // After a cancel nobody reads any more, and the library still reports it.
  call.on('error', () => undefined);
  try {
    yield* call as AsyncIterable<Response>;
  } catch (error) {
    throw cause ?? error;
  } finally {
    release();
    call.cancel();
  }
}

/** Cancels a call at its deadline or with its signal, and says why; returns how to stop watching both. */
function cancelWhen(
  call: { cancel(): void },
  { deadlineMs, signal, clock, peer }: CallBounds,
  because: (error: unknown) => void,
): (() => void) & { deadline(): void } {
  const end = (error: unknown): void => {
    because(error);
    call.cancel();
  };
  const abort = (): void => end(signal.reason);
  // Not a deadline of grpc-js: those follow the machine's clock and not ours.
  const deadline = clock.setTimer(deadlineMs, () => end(unreachable(peer, `no answer within ${deadlineMs} ms`)));
  signal.addEventListener('abort', abort, { once: true });
  const release = (): void => {
    deadline();
    signal.removeEventListener('abort', abort);
  };
  return Object.assign(release, { deadline });
}
