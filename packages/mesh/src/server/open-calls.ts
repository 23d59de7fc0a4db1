import type { WritError } from '@writ/core';
import { type CallContext, callerKey } from './call-context.ts';

/** The calls under way. */
export interface OpenCalls {
  add(context: CallContext): void;
  remove(context: CallContext): void;
  /** Counts a call against its caller; false, and it is not counted, where the caller has `maxOpen` of the method open. */
  admit(context: CallContext, maxOpen: number): boolean;
  /** Ends every call that `reason` gives an error for. */
  endWhere(reason: (context: CallContext) => WritError | undefined): void;
}

/** Calls by identity, and how many of each method each caller has open. */
export function createOpenCalls(): OpenCalls {
  const calls = new Map<CallContext, string | undefined>();
  const counts = new Map<string, number>();
  return {
    add: (context) => void calls.set(context, undefined),
    remove(context) {
      const key = calls.get(context);
      calls.delete(context);
      if (key === undefined) return;
      const left = (counts.get(key) ?? 1) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    },
    admit(context, maxOpen) {
      const key = `${context.method} ${callerKey(context.caller)}`;
      const count = counts.get(key) ?? 0;
      if (count >= maxOpen || !calls.has(context)) return false;
      counts.set(key, count + 1);
      calls.set(context, key);
      return true;
    },
    endWhere(reason) {
      for (const call of [...calls.keys()]) {
        const error = reason(call);
        if (error !== undefined) call.end(error);
      }
    },
  };
}
