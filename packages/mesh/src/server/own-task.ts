import type { UntypedHandleCall } from '@grpc/grpc-js';
import { quote } from '@writ/core';
import { type Executor, type FoundTask, removedOn, type Task } from '@writ/delegation';
import type { Init } from '@writ/wire';
import { readId } from '../convert/fields.ts';
import { callingPeer } from '../handlers/handler-deps.ts';
import type { MethodPolicy } from '../method-table.ts';
import { isRefused, orThrow, type Refused, refuse } from '../refusal.ts';
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

/** Answers about those tasks of a request that are the caller's; `item` is what the request says of each. */
export type OwnTaskListHandler<Item, Request, Response> = (
  own: readonly { readonly task: Task; readonly item: Item }[],
  request: Request,
  context: CallContext,
) => Promise<Init<Response>>;

interface NamesTask {
  readonly task: string;
}

/** Makes handlers that are about tasks by their ids: the only maker of `own-task`, and so the one check of ownership. */
export interface OwnTaskAdapter {
  unary<Q extends NamesTask, R>(handler: OwnTaskHandler<Q, R>): ServedMethod;
  stream<Q extends NamesTask, R>(handler: OwnTaskStreamHandler<Q, R>): ServedMethod;
  /** About many tasks: what `readItems` finds in the request is given on without the tasks that are not the caller's. */
  list<I extends NamesTask, Q, R>(
    readItems: (request: Q) => readonly I[],
    handler: OwnTaskListHandler<I, Q, R>,
  ): ServedMethod;
}

/** Looks every task up for its caller. Calls end with NOT_FOUND for a task that another peer sent. */
export function createOwnTaskAdapter(adapt: HandlerAdapter, executor: Pick<Executor, 'find'>): OwnTaskAdapter {
  /** INVARIANT: 7 another sender's task and one that is none are the same to the caller. */
  const find = (context: CallContext, id: string): FoundTask | undefined => executor.find(id, callingPeer(context));

  function own(context: CallContext, value: string): Task | Refused {
    const id = readId('task', value);
    const found = find(context, id);
    if (found?.task !== undefined) return found.task;
    if (found !== undefined) throw removedOn(found.removedAtMs);
    return refuse('NOT_FOUND', `no task ${quote(id)} of yours here`);
  }

  return {
    unary: <Q extends NamesTask, R>(handler: OwnTaskHandler<Q, R>) => ({
      authorization: 'own-task',
      handle: adapt.unary<Q, R>(async (context, request) => {
        const task = own(context, request.task);
        return isRefused(task) ? task : handler(task, request, context);
      }),
    }),
    stream: <Q extends NamesTask, R>(handler: OwnTaskStreamHandler<Q, R>) => ({
      authorization: 'own-task',
      handle: adapt.stream<Q, R>(async function* answer(context, request) {
        yield* handler(orThrow(own(context, request.task)), request, context);
      }),
    }),
    list: <I extends NamesTask, Q, R>(
      readItems: (request: Q) => readonly I[],
      handler: OwnTaskListHandler<I, Q, R>,
    ) => ({
      authorization: 'own-list',
      handle: adapt.unary<Q, R>(async (context, request) => {
        const owned = readItems(request).flatMap((item) => {
          const task = find(context, readId('task', item.task))?.task;
          return task === undefined ? [] : [{ task, item }];
        });
        return handler(owned, request, context);
      }),
    }),
  };
}

/** A handler that is about nothing that its request names. */
export function served(
  authorization: Exclude<MethodPolicy['authorization'], 'own-task' | 'own-workspace' | 'own-execution'>,
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
