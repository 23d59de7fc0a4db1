import { errorToJson, isWritError, type Logger, quote, toWritError, WritError, type WritErrorJson } from '@writ/core';
import type { Caller } from './types.ts';

/** Longest message of an unexpected fault that is told, UTF-16 units. */
const FAULT_LIMIT = 200;

/**
 * A thrown thing as the caller is told it: never a stack, and of an unexpected fault only a message, only to the host.
 * The whole of it goes to the log.
 */
export function tellFailure(
  error: unknown,
  operation: string,
  caller: Caller | undefined,
  logger: Logger,
): WritErrorJson {
  if (isWritError(error) && error.code !== 'INTERNAL') return errorToJson(error);
  const fault = toWritError(error);
  const { stack } = fault.cause instanceof Error ? fault.cause : fault;
  logger.error('operation failed unexpectedly', { operation, message: fault.message, stack: stack ?? '' });
  const why = caller?.kind === 'host' ? `: ${quote(fault.message.slice(0, FAULT_LIMIT))}` : '';
  return errorToJson(
    new WritError('INTERNAL', `the node failed unexpectedly in ${quote(operation)}${why}`, {
      nextSteps: ["look at the node's log"],
    }),
  );
}
