import type { CommandDesk, CommandView, WatchedCommand } from '@writ/commands';
import type { Init } from '@writ/wire';
import { readId } from '../convert/fields.ts';
import { callingPeer } from '../handlers/handler-deps.ts';
import type { HandlerAdapter } from './adapt-handler.ts';
import type { CallContext } from './call-context.ts';
import type { ServedMethod } from './own-task.ts';

/** One gated command of the caller, and what its caller may do with it. */
export interface OwnExecution {
  readonly id: string;
  watch(offset: number, signal: AbortSignal): AsyncIterable<WatchedCommand>;
  cancel(signal: AbortSignal): Promise<CommandView>;
}

/** Answers about one gated command of the caller, which is looked up for it: it has no other way to one. */
export type OwnExecutionHandler<Request, Response> = (
  own: OwnExecution,
  request: Request,
  context: CallContext,
) => Promise<Init<Response>>;
/** Answers about one gated command of the caller with a stream. */
export type OwnExecutionStreamHandler<Request, Response> = (
  own: OwnExecution,
  request: Request,
  context: CallContext,
) => AsyncIterable<Init<Response>>;

interface NamesExecution {
  readonly execution: string;
}

/** Makes handlers that are about one gated command: the only maker of `own-execution`, and so the one check of it. */
export interface OwnExecutionAdapter {
  unary<Q extends NamesExecution, R>(handler: OwnExecutionHandler<Q, R>): ServedMethod;
  stream<Q extends NamesExecution, R>(handler: OwnExecutionStreamHandler<Q, R>): ServedMethod;
}

/** Looks every gated command up for its caller. Calls throw NOT_FOUND for one that another asked for. */
export function createOwnExecutionAdapter(adapt: HandlerAdapter, desk: CommandDesk): OwnExecutionAdapter {
  /** INVARIANT: 7 another's command and one that is none are the same to the caller. */
  function own(context: CallContext, value: string): OwnExecution {
    const id = readId('execution', value);
    const caller = { kind: 'peer', id: callingPeer(context) } as const;
    desk.show(caller, id);
    return {
      id,
      watch: (offset, signal) => desk.watch(caller, id, offset, signal),
      cancel: (signal) => desk.cancel(caller, id, signal),
    };
  }

  return {
    unary: <Q extends NamesExecution, R>(handler: OwnExecutionHandler<Q, R>) => ({
      authorization: 'own-execution',
      handle: adapt.unary<Q, R>(async (context, request) => handler(own(context, request.execution), request, context)),
    }),
    stream: <Q extends NamesExecution, R>(handler: OwnExecutionStreamHandler<Q, R>) => ({
      authorization: 'own-execution',
      handle: adapt.stream<Q, R>(async function* answer(context, request) {
        yield* handler(own(context, request.execution), request, context);
      }),
    }),
  };
}
