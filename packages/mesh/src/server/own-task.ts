import type { UntypedHandleCall } from '@grpc/grpc-js';
import { quote, WritError } from '@writ/core';
import type { Executor, Task } from '@writ/delegation';
import type { Init } from '@writ/wire';
import { readId } from '../convert/fields.ts';
import { callingPeer } from '../handlers/handler-deps.ts';
import type { MethodPolicy } from '../method-table.ts';
import type { HandlerAdapter } from './adapt-handler.ts';
import type { CallContext } from './call-context.ts';

/** A handler as it is served, with what decides whom it answers. */
export interface ServedMethod {
  readonly authorization: MethodPolicy['authorization'];
  readonly handle: UntypedHandleCall;
}

/** Answers about one task of the caller, which is looked up for it: it has no other way to one. */
export type OwnTaskHandler<Request, Response> = (
  task: Task,
  request: Request,
  context: CallContext,
) => Promise<Init<Response>>;
/** Answers about one task of the caller with a stream. */
export type OwnTaskStreamHandler<Request, Response> = (
  task: Task,
  request: Request,
  context: CallContext,
) => AsyncIterable<Init<Response>>;

interface NamesTask {
  readonly task: string;
}

/** Makes handlers that are about one task: the only maker of `own-task`, and so the one check of ownership. */
export interface OwnTaskAdapter {
  unary<Q extends NamesTask, R>(handler: OwnTaskHandler<Q, R>): ServedMethod;
  stream<Q extends NamesTask, R>(handler: OwnTaskStreamHandler<Q, R>): ServedMethod;
}

/** Looks every task up for its caller. Calls throw NOT_FOUND for a task that another peer sent. */
export function createOwnTaskAdapter(adapt: HandlerAdapter, executor: Pick<Executor, 'get'>): OwnTaskAdapter {
  /** INVARIANT: 7 another sender's task and one that is none are the same to the caller. */
  function own(context: CallContext, value: string): Task {
    const id = readId('task', value);
    const task = executor.get(id);
    if (task === undefined || task.sender !== callingPeer(context)) {
      throw new WritError('NOT_FOUND', `no task ${quote(id)} of yours here`);
    }
    return task;
  }

  return {
    unary: <Q extends NamesTask, R>(handler: OwnTaskHandler<Q, R>) => ({
      authorization: 'own-task',
      handle: adapt.unary<Q, R>(async (context, request) => handler(own(context, request.task), request, context)),
    }),
    stream: <Q extends NamesTask, R>(handler: OwnTaskStreamHandler<Q, R>) => ({
      authorization: 'own-task',
      handle: adapt.stream<Q, R>(async function* answer(context, request) {
        yield* handler(own(context, request.task), request, context);
      }),
    }),
  };
}

/** A handler that is about no single task. */
export function served(
  authorization: Exclude<MethodPolicy['authorization'], 'own-task'>,
  handle: UntypedHandleCall,
): ServedMethod {
  return { authorization, handle };
}

/** The handlers by the names of their methods; throws where one is served under another authorization than its entry's. */
export function checkedHandlers<Name extends string>(
  methods: Readonly<Record<Name, { readonly path: string }>>,
  handlers: Readonly<Record<Name, ServedMethod>>,
  table: Readonly<Record<string, MethodPolicy>>,
): Record<string, UntypedHandleCall> {
  return Object.fromEntries(
    (Object.keys(handlers) as Name[]).map((name) => {
      const { authorization, handle } = handlers[name];
      const { path } = methods[name];
      if (table[path]?.authorization !== authorization) {
        throw new TypeError(`${path} is served as ${authorization}, and its entry of the method table says otherwise`);
      }
      return [name, handle];
    }),
  );
}
