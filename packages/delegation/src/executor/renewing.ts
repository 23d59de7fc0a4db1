import { WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import { verifyChain, withExtensions } from '@writ/identity';
import { isTerminal, type Task } from '@writ/task-store';
import type { RefusedDecision, RenewAnswer } from '../types.ts';
import { SKEW_S, writEndMs } from './intake.ts';
import { createLiveTask, type LiveTask } from './live-task.ts';
import type { ExecutorParts } from './parts.ts';
import { noLongerAllowed, type Withdrawal, type WithdrawalCheck } from './withdrawal.ts';

/**
 * Lets the writs of a task live longer, under the engine: the policy of this moment must still allow the task. Extensions
 * that are no news change nothing. Throws NOT_FOUND, TASK_ENDED where there is nothing to renew, and what `verifyChain`
 * throws: the chain is checked whole, so that no hop outlives the one before.
 * INVARIANT: 1 a child is not renewed beyond what stands before it. INVARIANT: 2 nothing is extended under a generation
 * that no longer allows it.
 */
export function renewWrits(
  parts: ExecutorParts,
  check: WithdrawalCheck,
  id: string,
  extensions: readonly string[],
): Promise<RenewAnswer> {
  return parts.engine.whileHeld(() => renewLocked(parts, check, id, extensions));
}

function renewLocked(
  parts: ExecutorParts,
  check: WithdrawalCheck,
  id: string,
  extensions: readonly string[],
): RenewAnswer {
  const { database, journal, live } = parts;
  const task = database.withReadTx((tx) => journal.require(tx, id));
  const entry = live.get(id);
  if (isTerminal(task.state) || task.cancelRequestedAtMs !== undefined || entry?.cause) {
    throw new WritError('TASK_ENDED', 'the task has ended or is being ended: its writ is not renewed');
  }
  // Nothing else runs between this look and the transaction.
  const refusal = refusalNow(parts, check, task);
  const answer = database.withWriteTx((tx) =>
    refusal ? refuse(tx, task, refusal) : extend(parts, tx, task, extensions),
  );
  if (answer.renewed && entry) entry.writEndsAtMs = answer.expiresAtMs;
  return answer;
}

/** A running task is looked at as after a reload, one that waits as right before its start. */
function refusalNow(parts: ExecutorParts, check: WithdrawalCheck, task: Task): RefusedDecision | undefined {
  const why = task.state === 'waiting' ? deniedNow(parts, task) : check.afterPolicyChange(liveOf(parts, task));
  if (!why) return undefined;
  const { generation } = parts.engine.snapshot();
  return { effect: 'deny', ...why, nextSteps: ['hand the work over again, under what is allowed now'], generation };
}

function liveOf({ live }: ExecutorParts, task: Task): LiveTask {
  return live.get(task.id) ?? createLiveTask(task);
}

/** What waits for a person is renewed as long as a yes would help. */
function deniedNow({ authority }: ExecutorParts, task: Task): Withdrawal | undefined {
  const { subject, ask, approved } = createLiveTask(task);
  const decision = authority.previewStart(subject, ask, approved);
  return decision.effect === 'deny' ? noLongerAllowed(decision) : undefined;
}

function refuse(tx: WriteTx, task: Task, decision: RefusedDecision): RenewAnswer {
  const { code, generation } = decision;
  tx.audit({
    ...{ kind: 'task', action: 'task.writ-not-renewed', actor: task.sender, subject: task.id },
    details: { code, generation },
  });
  return { renewed: false, decision };
}

function extend({ tasks, evidence, engine }: ExecutorParts, tx: WriteTx, task: Task, extensions: readonly string[]) {
  const before = tasks.writs(tx, task.id);
  const writs = withExtensions(before, extensions);
  const { maxChain } = engine.snapshot().config.node;
  const { self, pins } = evidence.trust;
  const chain = verifyChain(writs, { self: self.id, tlsPeer: task.sender, nowMs: tx.nowMs, maxChain }, pins);
  const { last } = chain;
  const expiresAtMs = writEndMs(chain);
  const answer = { renewed: true, expiresAtMs } as const;
  if (writs.every((writ, at) => writ === before[at])) return answer;
  tasks.renewWrits(tx, task.id, writs, { ...task.bounds, writExpiresAtMs: expiresAtMs });
  const untilMs = (last.exp + SKEW_S) * 1000;
  tasks.useWrit(tx, { sender: last.iss, nonce: last.nonce, request: task.requestDigest, untilMs });
  tx.audit({
    ...{ kind: 'task', action: 'task.writ-renewed', actor: task.sender, subject: task.id },
    details: { expires_at_ms: expiresAtMs, hops: chain.hops.length },
  });
  return answer;
}
