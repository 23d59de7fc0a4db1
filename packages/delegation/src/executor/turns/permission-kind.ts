import type { KindRules, Refusal, ToolVerdict } from '@writ/authority';
import { toWritError } from '@writ/core';
import { isTerminal, type Settlement } from '@writ/task-store';
import type { ExecutorParts } from '../parts.ts';
import { contextOf } from '../task-context.ts';
import { questionDigest, settleQuestion, tellTurn } from './settling.ts';
import { toolDigest, toolFromJson, toolOf } from './tool-question.ts';
import { toolVerdict } from './tool-rights.ts';

/** How an approval that stops waiting settles its question. */
const SETTLED = { approved: 'approved', denied: 'denied', expired: 'expired', cancelled: 'withdrawn' } as const;

/** An approval of kind `permission` is about one question of a task that runs here. */
export function createPermissionKind(parts: ExecutorParts): KindRules {
  const { turns, tasks } = parts;
  return {
    refusal(tx, approval) {
      const question = turns.questions.findOpenByApproval(tx, approval.id);
      if (question === undefined) return GONE;
      const tool = toolOf(approval.subject);
      try {
        if (tool !== undefined) return refusalOf(toolVerdict(parts, tx, question.task, toolFromJson(tool)));
        // INVARIANT: 1 no yes goes beyond the grant: a task that may not ask any more is given nothing.
        return contextOf(parts, tx, question.task).closure.includes('interactive') ? undefined : NOT_GRANTED;
      } catch (error) {
        const { code, message, nextSteps } = toWritError(error);
        return { code, message, nextSteps };
      }
    },
    digestNow(tx, approval) {
      const question = turns.questions.findOpenByApproval(tx, approval.id);
      const tool = toolOf(approval.subject);
      return question && (tool === undefined ? questionDigest(question) : toolDigest(question, tool));
    },
    settle(tx, approval) {
      const question = turns.questions.findOpenByApproval(tx, approval.id);
      if (question === undefined || approval.state === 'pending') return;
      const how: Settlement = { state: SETTLED[approval.state], by: approval.decidedBy ?? 'node' };
      settleQuestion(parts, tx, question, how);
      const task = tasks.get(tx, question.task);
      if (task !== undefined && !isTerminal(task.state)) tellTurn(parts, tx, task);
    },
  };
}

/** INVARIANT: 1 a yes is given within the grant, as it is when it is given. */
function refusalOf(verdict: ToolVerdict): Refusal | undefined {
  if (verdict.verdict !== 'deny') return undefined;
  return { code: 'GRANT_EXCEEDED', message: verdict.message, nextSteps: ['deny it'] };
}

const GONE = {
  code: 'NOT_FOUND',
  message: 'the question is not open any more',
  nextSteps: ['nothing is left to do'],
} as const;
const NOT_GRANTED = {
  code: 'GRANT_EXCEEDED',
  message: 'the task is not granted `interactive` any more',
  nextSteps: ['deny it'],
} as const;
