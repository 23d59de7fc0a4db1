import { formatDuration } from '@writ/core';
import type { ReadTx } from '@writ/database';
import type { Approval } from '@writ/lease-store';
import { PERSON } from '../person.ts';
import type { Asker, RecordParts, Refusal } from '../record-types.ts';
import { OF_ONE_CALL } from '../session-ids.ts';
import { SELF } from '../subject.ts';
import { isWithoutSession } from '../whose.ts';

/** In what time the questions of a session are counted, milliseconds. */
const RATE_MS = 60_000;
/** How many times `max_pending` a session may ask in that time, whatever became of the questions. */
const RATE = 4;
/** How many times `max_pending` the agents of this node may have waiting together, and may ask in that time; calls without a session not counted. */
const AGENTS = 8;
/** How long a question keeps its place where everybody asks in one room, milliseconds: long enough to be answered. */
const KEPT_MS = 120_000;

/** A question for which there is no room, or the one that gives way to it. */
export type Fullness = { readonly refusal: Refusal } | { readonly makesRoom: string };

/**
 * Whether there is room for one more question; undefined: there is. A flood is how a person is worn down, and how others are kept from
 * asking: what a task, a session or a peer has waiting is counted by itself, and nothing by a name that the asker gave itself.
 */
export function fullness(
  { approvals, engine }: Pick<RecordParts, 'approvals' | 'engine'>,
  tx: ReadTx,
  asker: Asker,
  nowMs: number,
): Fullness | undefined {
  const most = engine.snapshot().config.approvals.maxPending;
  const ofSession = approvals.countPendingOfSession(tx, asker);
  if (asker.requestedBy === PERSON) {
    return ofSession < most ? undefined : givesWay(inPersonsName(approvals, tx, asker), nowMs, NAMED);
  }
  const calls = asker.requestedBy === SELF ? approvals.pendingIn(tx, SELF, OF_ONE_CALL) : [];
  if (isWithoutSession(asker)) {
    if (calls.length >= most) return givesWay(calls, nowMs, UNNAMED);
    return rateOf(approvals, tx, { ...IN_CALLS, most: RATE * most, nowMs });
  }
  const ofTask = Math.ceil(most / 2);
  if (asker.task !== undefined && approvals.countPendingOfTask(tx, asker.task) >= ofTask) return full(ofTask, 'a task');
  if (ofSession >= most) return full(most, 'a session');
  if (asker.requestedBy !== SELF) {
    if (approvals.countPendingOfAsker(tx, asker.requestedBy) >= most) return full(most, 'a peer');
  } else {
    const ofAgents = approvals.countPendingOfAsker(tx, SELF) - calls.length;
    if (ofAgents >= AGENTS * most) return full(AGENTS * most, 'the agents of a node');
  }
  const before = approvals.newestAtMs(tx, asker, RATE * most - 1);
  // Later than now: put under a clock that was ahead.
  if (before !== undefined && before > nowMs - RATE_MS && before <= nowMs)
    return tooFast(RATE * most, 'in this session');
  // Sessions cost nothing: whoever begins many asks no oftener for it.
  return asker.requestedBy === SELF
    ? rateOf(approvals, tx, { ...OF_AGENTS, most: AGENTS * most, nowMs })
    : rateOf(approvals, tx, { ...OF_PEER, requestedBy: asker.requestedBy, most: RATE * most, nowMs });
}

const IN_CALLS = { requestedBy: SELF, which: 'in', whose: 'by calls without a session' } as const;
const OF_AGENTS = { requestedBy: SELF, which: 'beside', whose: 'by the agents of this node' } as const;
const OF_PEER = { which: 'beside', whose: 'by this peer' } as const;

/** Refuses whoever has put so many questions in the time that counts, whatever became of them. */
function rateOf(
  approvals: RecordParts['approvals'],
  tx: ReadTx,
  of: Omit<Parameters<RecordParts['approvals']['countBetween']>[1], 'prefix'> & {
    readonly whose: string;
    readonly most: number;
    readonly nowMs: number;
  },
): Fullness | undefined {
  const put = approvals.countBetween(tx, { ...of, prefix: OF_ONE_CALL }, of.nowMs - RATE_MS, of.nowMs);
  return put < of.most ? undefined : tooFast(of.most, of.whose);
}

function full(most: number, whose: string): Fullness {
  return {
    refusal: {
      code: 'LIMIT_EXCEEDED',
      message: `${most} questions wait for an answer already, the most for ${whose}`,
      nextSteps: [
        'have a person of the executing node answer some: writ approval list',
        'or let more wait there: approvals.max_pending in writ.toml',
      ],
    },
  };
}

function tooFast(most: number, whose: string): Fullness {
  const message = `${most} questions were put ${whose} within ${formatDuration(RATE_MS)}, the most that may be`;
  const nextSteps = [`ask again in ${formatDuration(RATE_MS)}`, 'ask about several commands at once: propose_plan'];
  return { refusal: { code: 'LIMIT_EXCEEDED', message, nextSteps } };
}

type Waiting = Pick<Approval, 'id' | 'createdAtMs'>;

/** Oldest first. */
function inPersonsName(
  approvals: RecordParts['approvals'],
  tx: ReadTx,
  { origin, session }: Asker,
): readonly Waiting[] {
  return approvals.list(tx, { pendingOnly: true, key: { origin, session }, limit: MOST_LISTED }).toReversed();
}

const NAMED = 'in the name of the person';
const UNNAMED = 'of calls without a session';

/**
 * Whoever has the host token asks as the person does, and without a session as everybody does: having asked first keeps nobody from
 * asking, and asking last pushes out nothing that there was no time to answer. `waiting`: oldest first.
 */
function givesWay(waiting: readonly Waiting[], nowMs: number, whose: string): Fullness {
  const oldest = waiting[0];
  if (oldest !== undefined && oldest.createdAtMs <= nowMs - KEPT_MS) return { makesRoom: oldest.id };
  return {
    refusal: {
      code: 'LIMIT_EXCEEDED',
      message: `${waiting.length} questions ${whose} wait, each for less than ${formatDuration(KEPT_MS)}`,
      nextSteps: [
        'say no to those that are not yours: writ approval list, writ approval deny ID',
        ...(whose === UNNAMED ? ['or ask in a session: writ session start'] : []),
        `or ask again in ${formatDuration(KEPT_MS)}: what waits longest gives way`,
      ],
    },
  };
}

/** More than may wait in a session by any configuration that is of use. */
const MOST_LISTED = 1000;
