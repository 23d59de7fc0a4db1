import { formatDuration } from '@writ/core';
import type { ReadTx } from '@writ/database';
import type { Asker, RecordParts, Refusal } from '../record-types.ts';

/** Commands that have not ended: of one task, and of one session with all its tasks. */
const MOST_OF_TASK = 16;
const MOST_OF_SESSION = 64;
/** Commands that a session may ask for in so many milliseconds, whatever became of them. */
const MOST_IN_TIME = 240;
const RATE_MS = 60_000;

/** Why there is no room for one more command; undefined: there is. Those of another session take none of it. */
export function roomRefusal(
  { executions }: Pick<RecordParts, 'executions'>,
  tx: ReadTx,
  { origin, session, task }: Asker,
  nowMs: number,
): Refusal | undefined {
  const key = { origin, session };
  if (task !== undefined && executions.countLive(tx, { task }) >= MOST_OF_TASK) return full(MOST_OF_TASK, 'a task');
  if (executions.countLive(tx, { key }) >= MOST_OF_SESSION) return full(MOST_OF_SESSION, 'a session');
  const before = executions.newestAtMs(tx, key, MOST_IN_TIME - 1);
  // Later than now: asked for under a clock that was ahead.
  if (before === undefined || before <= nowMs - RATE_MS || before > nowMs) return undefined;
  const message = `${MOST_IN_TIME} commands were asked for in this session within ${formatDuration(RATE_MS)}, the most for one`;
  return { code: 'LIMIT_EXCEEDED', message, nextSteps: [`ask again in ${formatDuration(RATE_MS)}`] };
}

function full(most: number, whose: string): Refusal {
  return {
    code: 'LIMIT_EXCEEDED',
    message: `${most} commands run or wait already, the most for ${whose}`,
    nextSteps: ['wait for one of them to end, or cancel it: writ execution list, writ execution cancel ID'],
  };
}
