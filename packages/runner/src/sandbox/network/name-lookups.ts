import { type Cancel, type Clock, WritError } from '@writ/core';
import { createTurns } from './turns.ts';

/**
 * Addresses of a name, as the machine resolves it. Rejects where it has none, and soon after `unwanted` is aborted, with nothing
 * left that works at it.
 */
export type Lookup = (host: string, unwanted: AbortSignal) => Promise<readonly string[]>;

/** Lookups of one run. */
export interface RunLookups {
  /**
   * Equal names that are asked for at the same time share one lookup. Rejects as the lookup does, with LIMIT_EXCEEDED where it had
   * no turn for too long, and with TIMED_OUT where it takes too long.
   */
  readonly find: Lookup;
  /** Ends all that are under way; what is asked afterwards rejects. */
  close(): void;
}

/** Lookups of a node, for the runs that have a network. */
export interface NameLookups {
  open(): RunLookups;
}

/** How many are under way at a time. */
const MOST_OF_NODE = 16;
const MOST_OF_RUN = 4;
/**
 * Longest wait for an answer (a resolver tries two servers, or one twice, in that time), and for a turn: until those before have
 * waited so long. Milliseconds.
 */
const ANSWER_MS = 10_000;
const TURN_MS = 12_000;
/** A turn is taken for so long at least, milliseconds: a program that asks for ever new names keeps nobody busy. */
const LEAST_MS = 200;

/**
 * Names are what a program chooses, and who answers for them may never do so: each lookup is given up in time, is ended with the
 * run that wants it, and takes a turn that no other run is kept from.
 */
export function createNameLookups({ lookup, clock }: { readonly lookup: Lookup; readonly clock: Clock }): NameLookups {
  const turns = createTurns({ ofAll: MOST_OF_NODE, ofOne: MOST_OF_RUN });
  return {
    open() {
      const take = turns.join();
      const shared = new Map<string, Shared>();
      let isOver = false;
      const begin = (host: string): Shared => {
        const unwanted = new AbortController();
        const answer = inTurn(take, clock, unwanted.signal, (signal) => lookup(host, signal));
        const forget = (): void => {
          if (shared.get(host) === one) shared.delete(host);
        };
        const leave = (): void => {
          forget();
          unwanted.abort(gone());
        };
        const one: Shared = { answer, asking: 0, leave };
        shared.set(host, one);
        answer.then(forget, forget);
        return one;
      };
      return {
        async find(host, unwanted) {
          if (isOver) throw gone();
          unwanted.throwIfAborted();
          const one = shared.get(host) ?? begin(host);
          one.asking += 1;
          try {
            return await unlessAborted(one.answer, unwanted);
          } finally {
            one.asking -= 1;
            if (one.asking === 0) one.leave();
          }
        },
        close() {
          isOver = true;
          for (const one of [...shared.values()]) one.leave();
        },
      };
    },
  };
}

/** One lookup, and how many wait for it. */
interface Shared {
  readonly answer: Promise<readonly string[]>;
  asking: number;
  /** Nobody waits for it any more. */
  leave(): void;
}

function gone(): WritError {
  return new WritError('CANCELLED', 'nobody waits for the name any more');
}

/** Waits for a turn, then for the work; the turn is over when nothing of the work is left. */
async function inTurn<T>(
  take: (unwanted: AbortSignal) => Promise<() => void>,
  clock: Clock,
  unwanted: AbortSignal,
  work: (unwanted: AbortSignal) => Promise<T>,
): Promise<T> {
  const waiting = limited(clock, TURN_MS, unwanted, new WritError('LIMIT_EXCEEDED', 'too many names are looked up'));
  const leave = await take(waiting.signal).finally(waiting.cancel);
  const limit = limited(clock, ANSWER_MS, unwanted, new WritError('TIMED_OUT', 'the name was not found in time'));
  const working = work(limit.signal);
  const least = new Promise<void>((resolve) => clock.setTimer(LEAST_MS, resolve));
  void Promise.allSettled([working, least]).then(leave);
  return unlessAborted(working, limit.signal).finally(limit.cancel);
}

/** Aborted when `unwanted` is, or with this error once the time is over. */
function limited(
  clock: Clock,
  ms: number,
  unwanted: AbortSignal,
  error: WritError,
): { readonly signal: AbortSignal; readonly cancel: Cancel } {
  const late = new AbortController();
  const cancel = clock.setTimer(ms, () => late.abort(error));
  return { signal: AbortSignal.any([unwanted, late.signal]), cancel };
}

/** What comes of a promise, or at once the reason of the signal. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
