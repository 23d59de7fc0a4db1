import type { z } from 'zod';
import type { Operation, StreamOperation } from '../types.ts';

/** An operation without its code: what callers need to know of it. */
export type OperationSpec<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> = Omit<
  Operation<I, O>,
  'run'
>;

/** A stream operation without its code. */
export type StreamSpec<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> = Omit<
  StreamOperation<I, O>,
  'run'
>;

/** States an operation; keeps the types of its schemas. */
export function operationSpec<I extends z.ZodObject, O extends z.ZodObject>(
  spec: OperationSpec<I, O>,
): OperationSpec<I, O> {
  return spec;
}

/** States a stream operation; keeps the types of its schemas. */
export function streamSpec<I extends z.ZodObject, O extends z.ZodType>(spec: StreamSpec<I, O>): StreamSpec<I, O> {
  return spec;
}
