import { formatDuration } from '@writ/core';
import type { ReadTx } from '@writ/database';
import type { Asker, RecordParts, Refusal } from '../record-types.ts';
import { SELF } from '../subject.ts';
import { isWithoutSession } from '../whose.ts';

/** Commands that have not ended: of one task, and of one session with all its tasks. */
const MOST_OF_TASK = 16;
const MOST_OF_SESSION = 64;
/** The same of whoever asks, in all sessions, which cost nothing: one peer, all peers, all of this node. */
const MOST_OF_PEER = 64;
const MOST_OF_PEERS = 256;
const MOST_OF_SELF = 256;
/** What calls without a session have besides: no number of sessions keeps the person from running something. */
const MORE_OF_CALLS = 64;
/** Commands that a session, or a peer in all its sessions, may ask for in so many milliseconds, whatever became of them. */
const MOST_IN_TIME = 240;
/** The same of all of this node. */
const MOST_IN_TIME_OF_SELF = 4 * MOST_IN_TIME;
const MORE_IN_TIME_OF_CALLS = MOST_IN_TIME;
const RATE_MS = 60_000;
/** Among how many of the newest these are counted: more than all that may ask put in that time. */
const LOOKED_AT = 8192;

/** Why there is no room for one more command; undefined: there is. Those of another session take none of it. */
export function roomRefusal(
  { executions }: Pick<RecordParts, 'executions'>,
  tx: ReadTx,
  asker: Asker,
  nowMs: number,
): Refusal | undefined {
  const { origin, session, task, requestedBy } = asker;
  const key = { origin, session };
  if (task !== undefined && executions.countLive(tx, { task }) >= MOST_OF_TASK) return full(MOST_OF_TASK, 'a task');
  if (executions.countLive(tx, { key }) >= MOST_OF_SESSION) return full(MOST_OF_SESSION, 'a session');
  const isHere = requestedBy === SELF;
  const isCall = isWithoutSession(asker);
  const mostOfAsker = isHere ? MOST_OF_SELF + (isCall ? MORE_OF_CALLS : 0) : MOST_OF_PEER;
  const whose = isHere ? 'this node' : 'a peer';
  if (executions.countLive(tx, { requestedBy }) >= mostOfAsker) return full(mostOfAsker, whose);
  if (!isHere && executions.countLive(tx, { notOf: SELF }) >= MOST_OF_PEERS) return full(MOST_OF_PEERS, 'all peers');
  const before = executions.newestAtMs(tx, key, MOST_IN_TIME - 1);
  // Later than now: asked for under a clock that was ahead.
  if (before !== undefined && before > nowMs - RATE_MS && before <= nowMs)
    return tooFast(MOST_IN_TIME, 'in this session');
  const mostInTime = isHere ? MOST_IN_TIME_OF_SELF + (isCall ? MORE_IN_TIME_OF_CALLS : 0) : MOST_IN_TIME;
  const within = { sinceMs: nowMs - RATE_MS, untilMs: nowMs, among: LOOKED_AT };
  if (executions.countNewest(tx, requestedBy, within) < mostInTime) return undefined;
  return tooFast(mostInTime, isHere ? 'at this node' : 'by this peer');
}

function tooFast(most: number, where: string): Refusal {
  const time = formatDuration(RATE_MS);
  const message = `${most} commands were asked for ${where} within ${time}, the most for one`;
  return { code: 'LIMIT_EXCEEDED', message, nextSteps: [`ask again in ${time}`] };
}

function full(most: number, whose: string): Refusal {
  return {
    code: 'LIMIT_EXCEEDED',
    message: `${most} commands run or wait already, the most for ${whose}`,
    nextSteps: ['wait for one of them to end, or cancel it: writ execution list, writ execution cancel ID'],
  };
}
