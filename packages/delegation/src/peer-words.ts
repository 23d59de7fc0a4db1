import type { WritCode } from '@writ/core';
import { toldFailure } from './outcome.ts';

/**
 * Codes whose messages are written for a peer. What is not listed, a code of a later version too, may be about paths,
 * programs and disks of this machine, and its message stays here.
 */
const TOLD: ReadonlySet<string> = new Set<WritCode>([
  'PEER_UNKNOWN',
  'PEER_DISABLED',
  'CHAIN_CYCLE',
  'CHAIN_MISMATCH',
  'CHAIN_TOO_DEEP',
  'ORIGIN_NOT_ACCEPTED',
  'PROFILE_REQUIRED',
  'PROFILE_NOT_ALLOWED',
  'RANK_EXCEEDED',
  'RUNNER_NOT_ALLOWED',
  'GRANT_EXCEEDED',
  'WORKSPACE_NOT_ALLOWED',
  'LEASE_REQUIRED',
  'LIMIT_EXCEEDED',
  'APPROVAL_REQUIRED',
  // How the process ended, or the program that the request itself names.
  'WORKER_FAILED',
  'RESULT_TOO_LARGE',
  'TIMED_OUT',
  'CANCELLED',
  'LEASE_EXPIRED',
  'LEASE_REVOKED',
  'TRUST_REVOKED',
  'COMMAND_NOT_ALLOWED',
  'LOST',
  'NOT_FOUND',
  'NOT_PENDING',
  'WRONG_REQUEST',
  'CHANGED_SINCE_APPROVAL',
  'NOT_APPROVER',
  'EXPIRED',
  'TASK_ENDED',
  'TOKEN_INVALID',
  'WRIT_INVALID',
  'WRIT_EXPIRED',
  'WRIT_REPLAYED',
  'BAD_REQUEST',
  'CONFLICT',
  'INVITE_INVALID',
  'RATE_LIMITED',
  'SHUTTING_DOWN',
]);

/** Whether a peer is told the message that comes with a code. */
export function isTold(code: string): boolean {
  return TOLD.has(code);
}

/** In place of a message that stays here; `whereToLook` says where a person at this node finds the whole one. */
export function cutMessage(code: string, whereToLook: string): string {
  return `the node stopped it with ${code}; ask a person at that node: ${whereToLook}`;
}

/** The message about a task as its sender may see it. */
export function taskMessage(
  task: string,
  { code, message }: { readonly code?: string; readonly message: string },
): string {
  if (code === undefined || isTold(code)) return message;
  const told = code === 'EVIDENCE_FAILED' ? toldFailure(message) : undefined;
  return told ?? cutMessage(code, `writ task show ${task}`);
}
