import type { ApprovalLack } from '@writ/authority';
import type { WriteTx } from '@writ/database';
import type { Decision } from '@writ/policy';
import type { Task } from '@writ/task-store';
import type { ExecutorParts } from '../parts.ts';
import { digestOfRun } from './question.ts';

/**
 * Uses the yes that was given to exactly what this decision leads to, in the transaction that starts the task.
 * INVARIANT: 5 what runs is what was shown, by digest, once, for a session that has not ended.
 */
export function useApproval(
  parts: ExecutorParts,
  tx: WriteTx,
  task: Task,
  decision: Decision,
): ApprovalLack | undefined {
  const { questions } = parts;
  const approval = questions?.get(tx, task.granted.approval ?? '');
  if (!questions || approval?.kind !== 'task' || approval.state !== 'approved') return 'APPROVAL_REQUIRED';
  if (questions.hasEnded(tx, task)) return 'NOT_FOUND';
  if (decision.grant === undefined || digestOfRun(parts, task, decision) !== approval.digest) {
    return 'CHANGED_SINCE_APPROVAL';
  }
  return questions.use(tx, approval.id, approval.digest) ? undefined : 'EXPIRED';
}

/** How a task ends that had no yes which serves it. */
export const LACKS: Readonly<Record<ApprovalLack, string>> = {
  APPROVAL_REQUIRED: 'a person has to approve it, and none has',
  CHANGED_SINCE_APPROVAL: 'what would run is not what a person has approved; ask again',
  EXPIRED: 'it was approved too long ago, or the yes was used',
  NOT_FOUND: 'the session that asked for it has ended',
};

/** Whether a code is one of those. */
export function isLack(code: string): code is ApprovalLack {
  return Object.hasOwn(LACKS, code);
}
