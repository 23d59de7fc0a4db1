import { oneAsker, type Refusal, type WhoAsks } from '@writ/authority';
import { type Clock, createRateLimiter, type Rate } from '@writ/core';

/** Commands and plans that one task, one session, one peer, or all calls without a session may ask for, whatever becomes of them. */
const OF_ONE: Rate = { perSecond: 4, burst: 240 };
/** The same of all sessions of this node, and of all tasks of one peer or of this node: neither a session nor a task costs much. */
const OF_ALL: Rate = { perSecond: 16, burst: 960 };
const MOST_REMEMBERED = 4096;

/** How fast somebody may ask; what is refused is not looked at. */
export interface AskRates {
  /** Takes one turn to ask; why there is none, or undefined. */
  refusalOf(asker: WhoAsks & { readonly origin: string }): Refusal | undefined;
}

/** Counted here and not from what is stored: what is refused stores nothing, and would be asked for without end. */
export function createAskRates(clock: Pick<Clock, 'monotonicMs'>): AskRates {
  const ofOne = createRateLimiter(OF_ONE, MOST_REMEMBERED, clock);
  const ofAll = createRateLimiter(OF_ALL, MOST_REMEMBERED, clock);
  return {
    refusalOf(asker) {
      const { kind, key, all } = oneAsker(asker);
      if (!ofOne.has(key, 1)) return tooFast(OF_ONE, ONE[kind]);
      if (all !== undefined && !ofAll.take(all, 1)) return tooFast(OF_ALL, ALL[kind]);
      ofOne.take(key, 1);
      return undefined;
    },
  };
}

const ONE = { task: 'a task', session: 'a session', peer: 'a peer', calls: 'who names no session' } as const;
const ALL = { ...ONE, task: 'all tasks of one that asks', session: 'all sessions of a node' } as const;

function tooFast({ perSecond }: Rate, whose: string): Refusal {
  const message = `more is asked for than the ${perSecond} commands in a second that ${whose} may go on with`;
  return { code: 'LIMIT_EXCEEDED', message, nextSteps: ['ask again in some seconds, and more slowly'] };
}
