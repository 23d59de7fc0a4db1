import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWritError } from '@writ/core';
import { isTerminal, type Task } from '@writ/task-store';
import { outcomeWithoutRun } from '../outcome.ts';
import type { ExecutorParts } from './parts.ts';
import { preparationNonce } from './preparing.ts';
import { retryLost } from './retrying.ts';
import { endNow } from './stopping.ts';
import { endUnasked, lookAtWaiting } from './waiting/look-again.ts';

/**
 * What an earlier boot left behind. No attempt is adopted: its processes are ended, then its task is `lost`, or
 * `cancelled` where that was asked for. A task that was queued goes to `enqueue`, and so does one whose attempt may be
 * made again; the start decides about it anew. One that waits for a person waits on, as long as its question does.
 * INVARIANT: 9 every task of an earlier boot becomes terminal, or is queued again with nothing left that runs of it.
 */
export async function recoverTasks(
  parts: ExecutorParts,
  enqueue: (task: Task) => void,
): Promise<{ readonly lost: number; readonly killed: number }> {
  const { database, tasks, runner, live } = parts;
  if (live.size === 0) await removeLeftovers(parts);
  const left = database.withReadTx((tx) => tasks.listLive(tx)).filter((task) => !live.has(task.id));
  const nonces = left.flatMap(noncesOf);
  const killed = nonces.length > 0 ? await runner.endStray(nonces) : 0;
  let lost = 0;
  for (const task of left) {
    if (task.cancelRequestedAtMs !== undefined)
      endNow(parts, task, { kind: 'cancel', by: 'a request before the restart' });
    else if (task.state === 'queued') enqueue(task);
    else if (task.state === 'waiting') endUnasked(parts, task);
    else if (!(await makeAgain(parts, task, enqueue)) && lose(parts, task)) lost += 1;
  }
  // What was lent right before the end of an earlier boot; those that were queued are in their queue by now.
  lookAtWaiting(parts);
  return { lost, killed };
}

/** A fault of reading what is left of the attempt loses it: nobody waits for ever. */
async function makeAgain(parts: ExecutorParts, task: Task, enqueue: (task: Task) => void): Promise<boolean> {
  try {
    const again = await retryLost(parts, task);
    if (again) enqueue(again);
    return again !== undefined;
  } catch (error) {
    if (isWritError(error, 'DATABASE_ERROR')) throw error;
    parts.logger.error('a lost attempt is not made again', { task: task.id, error: String(error) });
    return false;
  }
}

/** Git directories that an earlier boot was at work in, and what was sent along and has had its hour. */
async function removeLeftovers({ evidence, inputs, logger }: ExecutorParts): Promise<void> {
  try {
    const names = await readdir(evidence.gitDirRoot).catch(() => []);
    for (const name of names.filter((one) => one.startsWith('git-'))) {
      await rm(join(evidence.gitDirRoot, name), { recursive: true, force: true, maxRetries: 3 });
    }
    await inputs.sweep();
  } catch (error) {
    // It takes room and nothing else; no task waits for it.
    logger.error('what an earlier boot left was not removed', { error: String(error) });
  }
}

/** Marks of the processes that a task may have left: of its run, or of the clone of its workspace. */
function noncesOf({ id, attemptNonce, spec, state }: Task): readonly string[] {
  const ofRun = attemptNonce === undefined ? [] : [attemptNonce];
  return state === 'queued' && spec.workspace !== undefined ? [...ofRun, preparationNonce(id)] : ofRun;
}

function lose({ database, journal }: ExecutorParts, task: Task): boolean {
  return database.withWriteTx((tx) => {
    const now = journal.require(tx, task.id);
    if (isTerminal(now.state)) return false;
    const verdict = { state: 'lost', code: 'LOST', message: 'the node stopped while the task ran' } as const;
    journal.end(tx, now, outcomeWithoutRun(verdict, tx.nowMs));
    return true;
  });
}
