import { nearest, quote, WritError } from '@writ/core';
import type { z } from 'zod';
import type { GatewayTrace } from './gateway-ports.ts';
import { parseInput } from './input.ts';
import { checkOwnership } from './ownership.ts';
import type { TaskScope } from './ports.ts';
import type { Registry } from './registry.ts';
import { tracedCall, tracedStream } from './traced-call.ts';
import type { CallContext, Caller, Operation, StreamOperation } from './types.ts';

/** A call that was found, permitted and whose input was checked; nothing of it has run yet. */
export type PreparedCall =
  | { readonly form: 'call'; run(context: CallContext): Promise<unknown> }
  | { readonly form: 'stream'; run(context: CallContext): AsyncIterable<unknown> };

/** The one way to an operation, for every surface. */
export interface Dispatcher {
  /**
   * Throws NOT_FOUND for a name that is none, or none for this caller, and for a task that the caller does not own;
   * BAD_REQUEST for an input that does not fit.
   */
  prepare(name: string, input: unknown, caller: Caller): PreparedCall;
}

/** Builds the dispatcher over a registry. */
export function createDispatcher(
  registry: Registry,
  scope: Pick<TaskScope, 'within'>,
  trace?: GatewayTrace,
): Dispatcher {
  return {
    prepare(name, raw, caller) {
      const entry = registry.find(name, caller);
      if (entry === undefined) throw unknownOperation(name, caller, registry.names(caller));
      const input = parseInput(entry.operation.input, raw);
      checkOwnership(entry.operation, input, caller, scope);
      if (entry.form === 'call') {
        const run = (context: CallContext): Promise<unknown> => runCall(entry.operation, input, context);
        return { form: 'call', run: trace === undefined ? run : tracedCall(trace, name, run) };
      }
      const run = (context: CallContext) => runStream(entry.operation, input, context);
      return { form: 'stream', run: trace === undefined ? run : tracedStream(trace, name, run) };
    },
  };
}

async function runCall(operation: Operation, input: Record<string, unknown>, context: CallContext): Promise<unknown> {
  return checked(operation.name, operation.output, await operation.run(input, context));
}

/** Throws, before anything is answered, what the operation refuses at once. */
function runStream(
  operation: StreamOperation,
  input: Record<string, unknown>,
  context: CallContext,
): AsyncIterable<unknown> {
  return checkedItems(operation, operation.run(input, context));
}

async function* checkedItems(
  { name, item: schema }: StreamOperation,
  items: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  for await (const item of items) yield checked(name, schema, item);
}

/** Keeps answers to their schema, so that nothing leaves a node that is not stated in it. */
function checked(name: string, schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new WritError('INTERNAL', `the answer of ${name} does not fit its schema`, {
    details: { path: issue?.path.join('.') ?? '', reason: issue?.message ?? '' },
  });
}

/** To a task it says no more than that it may not: what is there for others is not its business. */
function unknownOperation(name: string, { kind }: Caller, known: readonly string[]): WritError {
  const meant = nearest(name, known);
  const forWhom = kind === 'task' ? ' for the token of a task' : '';
  return new WritError('NOT_FOUND', `there is no operation ${quote(name)}${forWhom}`, {
    ...(meant === undefined ? {} : { nextSteps: [`did you mean ${quote(meant)}?`] }),
  });
}
