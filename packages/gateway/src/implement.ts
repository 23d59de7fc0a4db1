import type { z } from 'zod';
import type { OperationSpec, StreamSpec } from './contract/spec.ts';
import type { CallContext, Operation, StreamOperation } from './types.ts';

/** An operation of either form. */
export type AnyOperation =
  | { readonly form: 'call'; readonly operation: Operation }
  | { readonly form: 'stream'; readonly operation: StreamOperation };

/** Joins the statement of an operation with its code. */
export function implement<I extends z.ZodObject, O extends z.ZodType>(
  spec: OperationSpec<I, O>,
  run: (input: z.output<I>, context: CallContext) => Promise<z.input<O>> | z.input<O>,
): AnyOperation {
  const operation: Operation<I, O> = { ...spec, run: async (input, context) => run(input, context) };
  return { form: 'call', operation };
}

/** Joins the statement of a stream operation with its code. */
export function implementStream<I extends z.ZodObject, O extends z.ZodType>(
  spec: StreamSpec<I, O>,
  run: (input: z.output<I>, context: CallContext) => AsyncIterable<z.input<O>>,
): AnyOperation {
  const operation: StreamOperation<I, O> = { ...spec, run };
  return { form: 'stream', operation };
}
