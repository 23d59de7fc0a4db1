import { isWritError, toWritError, type WritCode, type WritError } from '@writ/core';
import type { Decision } from '@writ/policy';
import type { TaskOutcome } from '@writ/task-store';
import type { RefusedDecision } from '../types.ts';
import type { Handover } from './following.ts';

/** How a mirror ends that its executor tells nothing about. */
export type MirrorVerdict = Pick<TaskOutcome, 'state' | 'code' | 'message' | 'refusal'>;

/**
 * Codes that say nothing about the task: the same call may succeed later. A stream that was reset or took too long is
 * one of them, as is a peer that has too much to do.
 */
const PASSING: readonly WritCode[] = [
  'UNREACHABLE',
  'SHUTTING_DOWN',
  'RATE_LIMITED',
  'TIMED_OUT',
  'CANCELLED',
  'INTERNAL',
  'DATABASE_ERROR',
];

/** True for an error after which the same call is made again. */
export function isPassing(error: unknown): boolean {
  return PASSING.includes(toWritError(error).code);
}

/** True for a fault of this node's own database or disk, which says nothing about the link; it never travels. */
export function isLocalFault(error: unknown): boolean {
  return isWritError(error, 'DATABASE_ERROR');
}

/**
 * What an error of `watch` or `cancel` means for a task that the peer had accepted; undefined: try again. A peer that
 * no longer takes this node for a peer has ended its tasks by its own rules, and tells nothing more.
 */
export function verdictOnAccepted(error: unknown, peerLabel: string): MirrorVerdict | undefined {
  const { code } = toWritError(error);
  switch (code) {
    case 'NOT_FOUND':
      return { state: 'lost', code: 'LOST', message: `${peerLabel} does not know the task any more` };
    case 'PEER_UNKNOWN':
    case 'PEER_DISABLED':
      return { state: 'failed', code: 'TRUST_REVOKED', message: `${peerLabel} does not serve this node any more` };
    default:
      return undefined;
  }
}

/** What a refused or failed handover means: the executor made no task, and the mirror keeps what was answered. */
export function verdictOnRefusal(
  refusal: RefusedDecision | WritError,
  decidedBy: 'here' | 'peer' = 'here',
): MirrorVerdict {
  const { code, message } = refusal;
  if (refusal instanceof Error) return { state: 'failed', code, message };
  const { effect, nextSteps, generation } = refusal;
  return { state: 'failed', code, message, refusal: { decidedBy, effect, nextSteps, generation } };
}

/** The same of a handover that came to nothing. */
export function verdictOnHandover(handover: Extract<Handover, { kind: 'refused' | 'failed' }>): MirrorVerdict {
  if (handover.kind === 'failed') return verdictOnRefusal(handover.error);
  return verdictOnRefusal(handover.decision, handover.decidedBy);
}

/** A decision without what only its own node may see. */
export function refusedDecision(decision: Decision): RefusedDecision {
  const { code, message, nextSteps, generation } = decision;
  return { effect: decision.effect === 'ask' ? 'ask' : 'deny', code, message, nextSteps, generation };
}
