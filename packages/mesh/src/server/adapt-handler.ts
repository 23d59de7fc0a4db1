import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  ServerDuplexStream,
  ServerReadableStream,
  ServerWritableStream,
} from '@grpc/grpc-js';
import { Metadata } from '@grpc/grpc-js';
import { type Clock, type Logger, toWritError, WritError } from '@writ/core';
import { isTold } from '@writ/delegation';
import type { Init } from '@writ/wire';
import { eachUntilAborted, untilAborted } from '../abortable.ts';
import { isRefused, type Refusal, type Refused } from '../refusal.ts';
import { type EndStatus, refusalToStatus } from '../wire-error.ts';
import type { CallContext, CallContexts } from './call-context.ts';

/** Answers or refuses one request. Throws WritErrors. */
export type UnaryHandler<Request, Response> = (
  context: CallContext,
  request: Request,
) => Promise<Init<Response> | Refused>;
/** Answers with a stream; it is read only as fast as the caller reads. */
export type StreamHandler<Request, Response> = (
  context: CallContext,
  request: Request,
) => AsyncIterable<Init<Response>>;
/** Answers a stream once, when it has taken what it wants of it; read only as fast as it is consumed. */
export type IntakeHandler<Request, Response> = (
  context: CallContext,
  requests: AsyncIterable<Request>,
) => Promise<Init<Response>>;
/** Answers a stream with a stream. */
export type ExchangeHandler<Request, Response> = (
  context: CallContext,
  requests: AsyncIterable<Request>,
) => AsyncIterable<Init<Response>>;

/** Stands for bytes that were no message of the method. */
export const MALFORMED = Symbol('malformed');

/** A deserialiser that never throws: garbage becomes `MALFORMED`, and a handler's adapter refuses that. */
export function readOrMalformed<T>(deserialize: (bytes: Buffer) => T): (bytes: Buffer) => T | typeof MALFORMED {
  return (bytes) => {
    try {
      return deserialize(bytes);
    } catch {
      return MALFORMED;
    }
  };
}

/** Makes grpc-js handlers of ours. */
export interface HandlerAdapter {
  unary<Q, R>(handler: UnaryHandler<Q, R>): handleUnaryCall<Q | typeof MALFORMED, Init<R>>;
  stream<Q, R>(handler: StreamHandler<Q, R>): handleServerStreamingCall<Q | typeof MALFORMED, Init<R>>;
  intake<Q, R>(handler: IntakeHandler<Q, R>): handleClientStreamingCall<Q | typeof MALFORMED, Init<R>>;
  exchange<Q, R>(handler: ExchangeHandler<Q, R>): handleBidiStreamingCall<Q | typeof MALFORMED, Init<R>>;
}

/** One place where errors of handlers become statuses, hidden ones are logged, and streams wait for their reader. */
export function createHandlerAdapter(deps: {
  readonly contexts: CallContexts;
  /** Time between two messages of an intake, milliseconds. */
  readonly stallMs: number;
  readonly clock: Pick<Clock, 'setTimer'>;
  readonly logger: Logger;
}): HandlerAdapter {
  const { contexts, stallMs, clock, logger } = deps;

  function contextOf(metadata: Metadata): CallContext {
    const context = contexts.get(metadata);
    if (context === undefined) throw new TypeError('a call reached its handler around the interceptors');
    return context;
  }

  function fail(context: CallContext, thrown: unknown): EndStatus {
    return end(context, toWritError(thrown));
  }

  function end(context: CallContext, why: Refusal): EndStatus {
    if (!isTold(why.code)) {
      logger.error('mesh call failed', { method: context.method, code: why.code, error: why.message });
    }
    return refusalToStatus(why);
  }

  async function answer<R>(
    call: ServerWritableStream<unknown, Init<R>> | ServerDuplexStream<unknown, Init<R>>,
    context: CallContext,
    messages: () => AsyncIterable<Init<R>>,
  ): Promise<void> {
    try {
      // At once, so that the caller knows that its call arrived.
      call.sendMetadata(new Metadata());
      for await (const message of eachUntilAborted(messages(), context.signal)) {
        const written = new Promise<void>((resolve) => call.write(message, () => resolve()));
        await untilAborted(written, context.signal);
      }
      call.end();
    } catch (error) {
      call.emit('error', fail(context, error));
    }
  }

  return {
    unary: (handler) => (call, callback) => {
      const context = contextOf(call.metadata);
      context.handled = true;
      working(context, async () => handler(context, wellFormed(call.request))).then(
        (answer) => (isRefused(answer) ? callback(end(context, answer)) : callback(null, answer)),
        (error) => callback(fail(context, error)),
      );
    },
    stream: (handler) => (call) => {
      const context = contextOf(call.metadata);
      context.handled = true;
      void answer(call, context, () => handler(context, wellFormed(call.request)));
    },
    intake: (handler) => (call, callback) => {
      const context = contextOf(call.metadata);
      const late = new WritError('TIMED_OUT', `nothing more came for ${stallMs} ms`);
      const wait = async (more: Promise<void>): Promise<void> => {
        const cancel = clock.setTimer(stallMs, () => context.end(late));
        await untilAborted(more, context.signal).finally(cancel);
      };
      working(context, async () => handler(context, readRequests(call, context, wait))).then(
        (response) => callback(null, response),
        (error) => callback(fail(context, error)),
      );
    },
    exchange: (handler) => (call) => {
      const context = contextOf(call.metadata);
      void answer(call, context, () =>
        handler(
          context,
          readRequests(call, context, (more) => untilAborted(more, context.signal)),
        ),
      );
    },
  };
}

/** What a handler does, awaited as long as its caller is there. */
function working<T>(context: CallContext, work: () => Promise<T>): Promise<T> {
  const done = work();
  context.work = done.catch(() => {});
  return untilAborted(done, context.signal);
}

function wellFormed<T>(request: T | typeof MALFORMED): T {
  if (request === MALFORMED) throw new WritError('BAD_REQUEST', 'the request is not a message of this method');
  return request;
}

type RequestStream<Q> =
  | ServerDuplexStream<Q | typeof MALFORMED, unknown>
  | ServerReadableStream<Q | typeof MALFORMED, unknown>;

/** Requests of a stream as they come. Not the stream's own iterator, which would destroy the answer with the request. */
async function* readRequests<Q>(
  call: RequestStream<Q>,
  context: CallContext,
  wait: (more: Promise<void>) => Promise<void>,
): AsyncGenerator<Q> {
  for (;;) {
    const request: Q | typeof MALFORMED | null = call.read();
    if (request !== null) {
      context.handled = true;
      yield wellFormed(request);
    } else if (call.readableEnded || call.destroyed) {
      return;
    } else {
      await wait(readable(call));
    }
  }
}

function readable(call: RequestStream<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      for (const event of ['readable', 'end', 'close'] as const) call.off(event, wake);
      resolve();
    };
    for (const event of ['readable', 'end', 'close'] as const) call.on(event, wake);
  });
}
