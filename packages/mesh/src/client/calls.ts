import {
  type Client,
  type ClientReadableStream,
  type ClientWritableStream,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { type Clock, nextTurn, WritError } from '@writ/core';
import type { Init, Method } from '@writ/wire';
import { eachUntilAborted, untilAborted } from '../abortable.ts';
import { unreachable } from './failure.ts';

/** How a call is bounded. */
export interface CallBounds {
  /** Time for the answer, or for the first sign of a stream, milliseconds. */
  readonly deadlineMs: number;
  /** Time for each further message of a stream, or for the peer to take one, milliseconds; absent: as long as it likes. */
  readonly stallMs?: number;
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
    const { release } = cancelWhen(call, bounds, reject);
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

/** Messages of a stream that are taken before everything else that is ready has its turn. */
const MESSAGES_A_TURN = 16;

/** The messages of an open stream. The first sign of it is its header, which a peer sends at once. */
export async function* readStream<Response>(
  call: ClientReadableStream<Response>,
  bounds: CallBounds,
): AsyncGenerator<Response> {
  let cause: unknown;
  const { release, expect } = cancelWhen(call, bounds, (error) => {
    cause = error;
  });
  const expectMore = (): void => expect(bounds.stallMs);
  call.once('metadata', expectMore);
  // After a cancel nobody reads any more, and the library still reports it.
  call.on('error', () => undefined);
  let count = 0;
  try {
    for await (const message of call as AsyncIterable<Response>) {
      // The time that its reader takes is no fault of the peer.
      expect(undefined);
      yield message;
      count += 1;
      // A peer that writes small messages without end holds up nobody else.
      if (count % MESSAGES_A_TURN === 0) await nextTurn();
      expectMore();
    }
  } catch (error) {
    throw cause ?? error;
  } finally {
    release();
    call.cancel();
  }
}

/**
 * One call with a stream of requests and one answer; `requests` is read only as fast as the peer takes them, and no
 * further once there is an answer. Throws like `callUnary`, and what `requests` throws.
 */
export async function callIntake<Request, Response>(
  client: Client,
  method: Method<Request, Response>,
  requests: AsyncIterable<Init<Request>>,
  bounds: CallBounds,
): Promise<Response> {
  if (bounds.signal.aborted) throw bounds.signal.reason;
  const over = new AbortController();
  const { path, requestSerialize, responseDeserialize } = method;
  return new Promise<Response>((resolve, reject) => {
    const settle = (error: ServiceError | null, response?: Response): void => {
      release();
      over.abort(new WritError('CANCELLED', 'the call is over'));
      if (error === null && response !== undefined) resolve(response);
      else reject(error ?? new WritError('INTERNAL', 'an answer without a message'));
    };
    const call = client.makeClientStreamRequest(path, requestSerialize, responseDeserialize, new Metadata(), settle);
    const { release, expect } = cancelWhen(call, bounds, reject);
    const { stallMs = bounds.deadlineMs } = bounds;
    const waiting = (isWaiting: boolean): void => expect(isWaiting ? stallMs : undefined);
    sendRequests(call, requests, over.signal, waiting).catch((error: unknown) => {
      reject(error);
      call.cancel();
    });
  });
}

/** Writes each request when the one before has been taken; `waiting` is told when the peer is waited for. */
async function sendRequests<Request>(
  call: ClientWritableStream<Request>,
  requests: AsyncIterable<Request>,
  over: AbortSignal,
  waiting: (isWaiting: boolean) => void,
): Promise<void> {
  waiting(false);
  for await (const request of eachUntilAborted(requests, over)) {
    waiting(true);
    const taken = new Promise<void>((resolve) => call.write(request, () => resolve()));
    await untilAborted(taken, over);
    waiting(false);
  }
  waiting(true);
  call.end();
}

/**
 * Cancels a call with its signal, or when what is expected of the peer does not come in time: at first anything at all
 * within the deadline. `because` is told why.
 */
function cancelWhen(
  call: { cancel(): void },
  { deadlineMs, signal, clock, peer }: CallBounds,
  because: (error: unknown) => void,
): {
  /** Stops watching the call. */
  release(): void;
  /** From now on the peer has so many milliseconds; undefined: nothing is expected of it. */
  expect(withinMs: number | undefined): void;
} {
  const end = (error: unknown): void => {
    because(error);
    call.cancel();
  };
  const abort = (): void => end(signal.reason);
  // Not a deadline of grpc-js: those follow the machine's clock and not ours.
  let cancel = clock.setTimer(deadlineMs, () => end(unreachable(peer, `no answer within ${deadlineMs} ms`)));
  let isReleased = false;
  signal.addEventListener('abort', abort, { once: true });
  return {
    release() {
      isReleased = true;
      cancel();
      signal.removeEventListener('abort', abort);
    },
    expect(withinMs) {
      cancel();
      if (withinMs === undefined || isReleased) return;
      cancel = clock.setTimer(withinMs, () => end(unreachable(peer, `nothing more within ${withinMs} ms`)));
    },
  };
}
