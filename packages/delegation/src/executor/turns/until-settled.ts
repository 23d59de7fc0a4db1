import { WritError } from '@writ/core';
import type { Question } from '@writ/task-store';
import type { ExecutorParts } from '../parts.ts';
import { gone } from './presence.ts';
import { askKey, settleRest } from './settling.ts';

/**
 * The questions as they were settled; what is open when `signal` aborts is settled as `how` says. Throws NOT_FOUND where task
 * or session end meanwhile, and SHUTTING_DOWN.
 */
export async function untilSettled(
  parts: ExecutorParts,
  asked: readonly Question[],
  signal: AbortSignal,
  how: () => 'expired' | 'withdrawn',
): Promise<readonly Question[]> {
  const { database, turns, wakeups } = parts;
  const task = asked[0]?.task ?? '';
  for (;;) {
    if (signal.aborted) database.withWriteTx((tx) => settleRest(parts, tx, asked, how()));
    const now = database.withReadTx((tx) => asked.flatMap(({ id }) => turns.questions.get(tx, task, id) ?? []));
    if (now.length < asked.length || now.some(({ state }) => state === 'ended')) {
      throw gone('the task or its session has ended; the questions with it');
    }
    if (now.every(({ state }) => state !== 'open')) return now;
    if (wakeups.closed) throw new WritError('SHUTTING_DOWN', 'this node is shutting down');
    await wakeups.wait(askKey(task), signal);
  }
}
