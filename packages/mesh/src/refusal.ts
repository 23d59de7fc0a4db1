import { type WritCode, WritError } from '@writ/core';

/** What a caller is told instead of an answer. A WritError is one too. */
export interface Refusal {
  readonly code: WritCode;
  /** For people, as that of a WritError. */
  readonly message: string;
  readonly nextSteps: readonly string[];
  /** What a program of the caller may go by, where a code says too little; `message` is for people alone. */
  readonly reason?: RefusalReason;
}

/** `no-method`: this version serves no such call. */
export type RefusalReason = 'no-method';

const REFUSED = Symbol('refused');

/**
 * A refusal that is returned: who may not is nobody's fault, and finding out where in the program that was said, which is
 * most of what an error costs, would make a peer that is denied dearer than one that is served.
 */
export interface Refused extends Refusal {
  readonly [REFUSED]: true;
}

/** Refuses a call as what its check or its handler returns. */
export function refuse(code: WritCode, message: string, nextSteps: readonly string[] = []): Refused {
  return { [REFUSED]: true, code, message, nextSteps };
}

/** Refuses a call that this version does not know. */
export function refuseMethod(): Refused {
  return { ...refuse('BAD_REQUEST', 'there is no such method'), reason: 'no-method' };
}

/** True for what `refuse` made. */
export function isRefused(value: unknown): value is Refused {
  return typeof value === 'object' && value !== null && REFUSED in value;
}

/** `value`, for those who cannot return a refusal. Throws a refusal as a WritError. */
export function orThrow<T>(value: T | Refused): T {
  if (isRefused(value)) throw new WritError(value.code, value.message, { nextSteps: value.nextSteps });
  return value;
}
