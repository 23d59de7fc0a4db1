import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isTerminal, type Task } from '@writ/task-store';
import { outcomeWithoutRun } from '../outcome.ts';
import type { ExecutorParts } from './parts.ts';
import { preparationNonce } from './preparing.ts';
import { endNow } from './stopping.ts';

/**
 * What an earlier boot left behind. No attempt is adopted or tried again: its processes are ended, then its task is
 * `lost`, or `cancelled` where that was asked for. A task that waited and never started goes to `enqueue`; the start
 * decides about it anew.
 * INVARIANT: 9 every task of an earlier boot becomes terminal, or is queued again where nothing of it ever started.
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
    else if (task.attemptNonce === undefined && task.state === 'queued') enqueue(task);
    else if (lose(parts, task)) lost += 1;
  }
  return { lost, killed };
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
function noncesOf({ id, attemptNonce, spec }: Task): readonly string[] {
  if (attemptNonce !== undefined) return [attemptNonce];
  return spec.workspace === undefined ? [] : [preparationNonce(id)];
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
