import type { WriteTx } from '@writ/database';
import type { Task } from '@writ/task-store';
import { createLiveTask } from '../live-task.ts';
import type { ExecutorParts } from '../parts.ts';
import { noLongerAllowed } from '../withdrawal.ts';
import { wishOf } from './question.ts';
import { askAnew, decide, letGo, reject } from './task-kind.ts';

/**
 * Looks at every task that waits, after the policy has changed or a lease was lent: what is denied now ends, what needs no
 * person any more goes on, and what would do something else than was shown is asked about anew.
 * INVARIANT: 2 what a fault of the database leaves out is looked at again when it is answered, and when it starts.
 */
export function lookAtWaiting(parts: ExecutorParts): void {
  const { database, tasks, logger } = parts;
  try {
    const waiting = database.withReadTx((tx) => tasks.listLive(tx)).filter(({ state }) => state === 'waiting');
    for (const { id } of waiting) database.withWriteTx((tx) => lookAgain(parts, tx, id));
  } catch (error) {
    logger.error('tasks that wait could not be looked at', { error: String(error) });
  }
}

/** Ends a task of an earlier boot whose question is not there any more: nobody could ever answer it. */
export function endUnasked(parts: ExecutorParts, { id }: Pick<Task, 'id'>): void {
  const { database, journal, questions } = parts;
  database.withWriteTx((tx) => {
    const task = journal.require(tx, id);
    if (task.state !== 'waiting') return;
    const approval = questions?.get(tx, task.granted.approval ?? '');
    if (approval?.state === 'pending') return;
    reject(parts, tx, task, { code: 'EXPIRED', message: 'the question that it waited for is not there any more' });
  });
}

function lookAgain(parts: ExecutorParts, tx: WriteTx, id: string): void {
  const { questions } = parts;
  const task = parts.journal.require(tx, id);
  if (task.state !== 'waiting' || !questions) return;
  const decision = decide(parts, tx, task, false);
  if (decision.effect === 'deny') {
    reject(parts, tx, task, noLongerAllowed(decision));
    return;
  }
  const before = questions.get(tx, task.granted.approval ?? '');
  if (before?.kind === 'lease' && decision.code !== 'LEASE_REQUIRED' && !hasRoom(parts, tx, task)) return;
  const wish = decision.effect === 'ask' ? wishOf(parts, task, decision) : undefined;
  // What a lease is for is compared when it is answered; which one it was, it stays.
  if (before && wish && before.kind === wish.kind && (wish.kind === 'lease' || wish.digest === before.digest)) return;
  const { approval: _, ...granted } = task.granted;
  // Whoever waits for nothing is not ended by the end of what it waited for.
  const free = parts.tasks.update(tx, id, task.version, { granted }) ?? task;
  if (before) questions.cancel(tx, before.id);
  if (wish === undefined) letGo(parts, tx, free);
  else askAnew({ ...parts, questions }, tx, free, decision);
}

/**
 * Whether a lease is left for this one: those that have their turn already claim theirs when they start.
 * INVARIANT: 4 the claim decides; this keeps a task from giving its question up for a use that another was let go by.
 */
function hasRoom(parts: ExecutorParts, tx: WriteTx, task: Task): boolean {
  const { subject, ask } = createLiveTask(task);
  const left = parts.authority.usesLeft(tx, subject, ask);
  if (left === Number.POSITIVE_INFINITY) return true;
  const others = parts.tasks.listLive(tx).filter(({ id, sender }) => id !== task.id && sender === task.sender);
  return others.filter((other) => willClaim(parts, tx, other)).length < left;
}

/** Whether it has, or was let go by, a lease that it has not claimed yet. */
function willClaim(parts: ExecutorParts, tx: WriteTx, other: Task): boolean {
  const asks = other.state === 'waiting' ? parts.questions?.get(tx, other.granted.approval ?? '')?.kind : undefined;
  const isNext = other.state === 'queued' || asks === 'task';
  return isNext && decide(parts, tx, other, true).leaseId !== undefined;
}
