import { isWritError, toWritError, WritError } from '@writ/core';

/** What does not hold about a result, for the end of its task. `check` names the step. */
export function invalid(check: string, why: string): WritError {
  return new WritError('EVIDENCE_INVALID', `result is not verified: ${check}: ${why}`, { details: { check } });
}

/** A full or broken disk is this node's own fault, and no news of the peer: what it delays is tried again. */
export function ownFault(error: unknown): WritError {
  if (isWritError(error)) return error;
  return new WritError('DATABASE_ERROR', `a result cannot be kept: ${toWritError(error).message}`, {
    nextSteps: ['make room on the disk of this node; nothing is lost meanwhile'],
    cause: error,
  });
}
