import type { ApprovalLack } from '@writ/authority';
import type { WriteTx } from '@writ/database';
import type { Decision } from '@writ/policy';
import type { Task } from '@writ/task-store';
import type { ExecutorParts } from '../parts.ts';
import { digestOfRun } from './question.ts';

/**
 * Uses the yes that was given to exactly what this decision leads to, in the transaction that starts the task.
 * INVARIANT: 5 what runs is what was shown, by digest, once.
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
  if (decision.grant === undefined || digestOfRun(parts, task, decision) !== approval.digest) {
    return 'CHANGED_SINCE_APPROVAL';
  }
  return questions.use(tx, approval.id, approval.digest) ? undefined : 'EXPIRED';
}
