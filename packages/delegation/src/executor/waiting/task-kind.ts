import type { Approval, KindRules, Refusal } from '@writ/authority';
import { quote, toWritError, type WritCode } from '@writ/core';
import type { ReadTx, WriteTx } from '@writ/database';
import type { Decision } from '@writ/policy';
import type { Task } from '@writ/task-store';
import { outcomeWithoutRun } from '../../outcome.ts';
import { createLiveTask } from '../live-task.ts';
import type { ExecutorParts } from '../parts.ts';
import { enqueue } from '../submitting.ts';
import { digestOfRun } from './question.ts';
import { waitForPerson } from './wait.ts';

/** What a question about a task is about, and what its answer does. A lease that a task waits for is settled here too. */
export function createTaskKind(parts: ExecutorParts): KindRules {
  return {
    refusal: (tx, approval) => refusalOf(parts, tx, approval),
    digestNow(tx, approval) {
      const task = waitingOf(parts, tx, approval);
      if (task === undefined) return undefined;
      const decision = decide(parts, tx, task, true);
      // What policy does not allow any more is told as that, by `refusal`; a no to it needs no digest.
      return decision.grant === undefined ? approval.digest : digestOfRun(parts, task, decision);
    },
    settle(tx, approval) {
      const task = waitingOf(parts, tx, approval);
      if (task !== undefined) settle(parts, tx, task, approval);
    },
  };
}

/** The task that waits for this very question; undefined where none does any more. */
function waitingOf({ tasks }: ExecutorParts, tx: ReadTx, { id, task }: Approval): Task | undefined {
  const found = task === undefined ? undefined : tasks.get(tx, task);
  return found?.state === 'waiting' && found.granted.approval === id ? found : undefined;
}

/** What the start would be decided as now; `approved`: taking the yes for granted. */
export function decide({ authority }: ExecutorParts, tx: ReadTx, task: Task, approved: boolean): Decision {
  const { subject, ask } = createLiveTask(task);
  return authority.decideStart(tx, subject, ask, approved);
}

function refusalOf(parts: ExecutorParts, tx: ReadTx, approval: Approval): Refusal | undefined {
  const task = waitingOf(parts, tx, approval);
  if (task === undefined) return GONE;
  const { writExpiresAtMs = Number.POSITIVE_INFINITY } = task.bounds;
  if (writExpiresAtMs <= parts.database.nowMs()) return WRIT_EXPIRED;
  const { effect, code, message, nextSteps } = decide(parts, tx, task, true);
  return effect === 'allow' ? undefined : { code: code as WritCode, message, nextSteps };
}

const GONE: Refusal = {
  code: 'NOT_FOUND',
  message: 'no task waits for this answer any more',
  nextSteps: ['look at the task: writ task show'],
};

const WRIT_EXPIRED: Refusal = {
  code: 'WRIT_EXPIRED',
  message: 'the writ that it came with has ended and was not renewed',
  nextSteps: ['answer once its sender is connected again, which renews it'],
};

function settle(parts: ExecutorParts, tx: WriteTx, task: Task, approval: Approval): void {
  switch (approval.state) {
    case 'pending':
      return;
    case 'approved':
      proceed(parts, tx, task, approval);
      return;
    case 'denied':
      reject(parts, tx, task, { code: 'APPROVAL_REQUIRED', message: 'a person said no' });
      return;
    case 'expired':
      reject(parts, tx, task, { code: 'EXPIRED', message: 'nobody answered in time' });
      return;
    case 'cancelled': {
      const withdrawn = { state: 'cancelled', code: 'CANCELLED', message: 'what asked for it has ended' } as const;
      parts.journal.end(tx, task, outcomeWithoutRun(withdrawn, tx.nowMs));
    }
  }
}

/** After a yes: on to the queue, or to the next question, where a lease was only the first. */
function proceed(parts: ExecutorParts, tx: WriteTx, task: Task, { kind }: Approval): void {
  const decision = decide(parts, tx, task, kind === 'task');
  const { questions } = parts;
  if (decision.effect === 'allow') letGo(parts, tx, task);
  else if (decision.effect === 'ask' && questions) askAnew({ ...parts, questions }, tx, task, decision);
  else reject(parts, tx, task, decision);
}

/** Queues what waited; the start decides, compares and uses the yes. */
export function letGo(parts: ExecutorParts, tx: WriteTx, task: Task): void {
  const queued = parts.journal.move(tx, task, { kind: 'queue' });
  tx.afterCommit(() => enqueue(parts, queued));
}

/** Asks something else than before; where nobody can be asked, the task ends with the reason. */
export function askAnew(
  parts: ExecutorParts & { readonly questions: NonNullable<ExecutorParts['questions']> },
  tx: WriteTx,
  task: Task,
  decision: Decision,
): void {
  try {
    waitForPerson(parts, tx, task, decision);
  } catch (error) {
    const { code, message } = toWritError(error);
    reject(parts, tx, task, { code, message: `it would have to be asked about again: ${quote(message)}` });
  }
}

/** A task that waited ends without a run. */
export function reject(
  { journal }: Pick<ExecutorParts, 'journal'>,
  tx: WriteTx,
  task: Task,
  { code, message }: { readonly code: string; readonly message: string },
): void {
  journal.end(tx, task, outcomeWithoutRun({ state: 'rejected', code, message }, tx.nowMs));
}
