import type { RunningCode } from '@writ/core';
import { isTerminal, type Task } from '@writ/task-store';
import { outcomeWithoutRun, type StopCause } from '../outcome.ts';
import { type LiveTask, stopLive } from './live-task.ts';
import type { ExecutorParts } from './parts.ts';
import { placeOf } from './place.ts';
import { untilStored } from './until-stored.ts';
import type { Withdrawal } from './withdrawal.ts';

/** Ends a task for `cause`: a queued one now, one with a slot when none of its processes is left. */
async function stopTask(parts: ExecutorParts, task: Task, cause: StopCause): Promise<void> {
  const { live, occupied, wakeups } = parts;
  if (mayHaveProcesses(task)) {
    // One of an earlier boot: recovery ends its processes first, then it is over or queued again.
    while (!live.has(task.id) && !wakeups.closed && !isTerminal(read(parts, task.id).state)) {
      await wakeups.wait(task.id);
    }
  }
  const entry = live.get(task.id);
  if (entry && occupied.has(entry)) {
    stopLive(entry, cause);
    return entry.ended;
  }
  if (entry || !mayHaveProcesses(task)) endNow(parts, task, cause);
}

/** Whether a task that this process does not know may have left a run, or the clone of its workspace. */
function mayHaveProcesses(task: Task): boolean {
  if (task.state === 'waiting') return false;
  return task.attemptNonce !== undefined || task.spec.workspace !== undefined;
}

/** Ends a task of which no process is left or ever was; no effect on one that is terminal. */
export function endNow(parts: ExecutorParts, task: Task, cause: StopCause): void {
  const { database, journal, live, queue } = parts;
  database.withWriteTx((tx) => {
    const now = journal.require(tx, task.id);
    if (isTerminal(now.state)) return;
    // What waited for a person was never let in.
    const isRejected = now.state === 'waiting' && cause.kind === 'withdrawn';
    journal.end(tx, now, outcomeWithoutRun(isRejected ? rejection(cause) : cause, tx.nowMs));
  });
  const entry = live.get(task.id);
  if (!entry || !queue.remove(placeOf(task), task.id)) return;
  live.delete(task.id);
  entry.end();
}

function rejection({ code, message }: Extract<StopCause, { kind: 'withdrawn' }>) {
  return { state: 'rejected', code, message } as const;
}

/** INVARIANT: 8 the intent is stored first, and the answer comes only when no process is left. */
export async function cancelTask(parts: ExecutorParts, id: string, by: string): Promise<Task> {
  const { database, journal, tasks } = parts;
  const task = database.withWriteTx((tx) => {
    const now = journal.require(tx, id);
    if (isTerminal(now.state) || now.cancelRequestedAtMs !== undefined) return now;
    tx.audit({ kind: 'task', action: 'task.cancel-requested', actor: by, subject: id });
    return tasks.update(tx, id, now.version, { cancelRequestedAtMs: tx.nowMs }) ?? now;
  });
  if (!isTerminal(task.state)) await stopTask(parts, task, { kind: 'cancel', by });
  return read(parts, id);
}

/** Ends every live task that `match` picks; resolves with their number when all are terminal. */
export async function endMatching(
  parts: ExecutorParts,
  match: (task: Task) => boolean,
  code: RunningCode,
  message: string,
): Promise<number> {
  const matching = parts.database.withReadTx((tx) => parts.tasks.listLive(tx)).filter(match);
  await Promise.all(matching.map((task) => stopTask(parts, task, { kind: 'withdrawn', code, message })));
  return matching.length;
}

/**
 * Stops every live task that `look` no longer allows, in the same turn as the change that it looks at.
 * INVARIANT: 2 what has a slot is stopped first, which needs no database; its row follows when that takes it.
 */
export function withdraw(parts: ExecutorParts, look: (entry: LiveTask) => Withdrawal | undefined): void {
  for (const entry of [...parts.live.values()]) {
    try {
      const why = look(entry);
      if (!why) continue;
      const cause = { kind: 'withdrawn', ...why } as const;
      if (parts.occupied.has(entry)) stopLive(entry, cause);
      else void untilStored(parts, entry, () => stopTask(parts, read(parts, entry.id), cause));
    } catch (error) {
      parts.logger.error('a task could not be looked at', { task: entry.id, error: String(error) });
    }
  }
}

function read({ database, journal }: ExecutorParts, id: string): Task {
  return database.withReadTx((tx) => journal.require(tx, id));
}
