import type { TaskQuestions } from '@writ/authority';
import { DECISION_CODES, type DecisionCode, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Decision } from '@writ/policy';
import type { NewTask, Task } from '@writ/task-store';
import type { ExecutorParts } from '../parts.ts';
import { wishOf } from './question.ts';

type WaitParts = Pick<ExecutorParts, 'engine' | 'workspaces' | 'journal'> & { readonly questions: TaskQuestions };

/**
 * Why nobody is asked about a task that is not there yet: the decision that the asker gets instead. Throws what is no
 * matter of policy: BAD_REQUEST for what cannot be shown whole, CLOCK_BACKWARDS.
 */
export function askRefusal(
  parts: Pick<ExecutorParts, 'engine' | 'workspaces' | 'questions'>,
  tx: WriteTx,
  task: NewTask,
  decision: Decision,
): Decision | undefined {
  const { questions } = parts;
  if (!questions) return decision;
  const refusal = questions.refusal(tx, task, wishOf(parts, task, decision));
  if (refusal === undefined) return undefined;
  const { code, message, nextSteps } = refusal;
  if (!isDecisionCode(code)) throw new WritError(code, message, { nextSteps });
  const { grant: _, leaseId: __, ...rest } = decision;
  // Nobody who could answer: what was asked for still says why.
  const why = code === 'APPROVAL_REQUIRED' ? `${decision.message}; ${message}` : message;
  const answer = code === 'APPROVAL_REQUIRED' ? decision.code : code;
  return {
    ...rest,
    code: answer,
    message: why,
    nextSteps: [...nextSteps, ...(answer === code ? [] : decision.nextSteps)],
  };
}

/**
 * Asks, and has the task wait for the answer: for the first time, or for another one than before. Throws where nobody
 * can be asked, which takes everything back.
 * INVARIANT: 5 the question is stored in the transaction that has the task wait for it.
 */
export function waitForPerson(parts: WaitParts, tx: WriteTx, task: Task, decision: Decision): Task {
  const outcome = parts.questions.ask(tx, task, wishOf(parts, task, decision));
  if (!outcome.asked) {
    const { code, message, nextSteps } = outcome.refusal;
    throw new WritError(code, message, { nextSteps });
  }
  const { id: approval, expiresAtMs } = outcome.approval;
  const granted = { ...task.granted, approval };
  const { code, message } = decision;
  const waits = { approval, answerByMs: expiresAtMs };
  return parts.journal.move(tx, task, { kind: 'wait' }, { granted }, { code, message, waits });
}

function isDecisionCode(code: string): code is DecisionCode {
  return DECISION_CODES.some((known) => known === code);
}
