import { type Clock, createRateLimiter, Mutex, nextTurn, pause } from '@writ/core';

/** How much of this node's time the events of one peer may take, milliseconds a second; and how much at once. */
const SHARE = { perSecond: 250, burst: 1000 };
/** What each event takes besides the transaction that stores it: it is read, checked and written to the disk. Milliseconds. */
const EVENT_MS = 0.2;
/** Peers that are remembered at once. */
const MOST_PEERS = 20_000;
/** Work of the node's own takes as long as it takes: its executor does as much for it, and nobody else is kept waiting by that alone. */
const SELF = 'self';

/**
 * What taking over the events of each peer costs, so that none of them can keep this node from everybody else: one that tells
 * faster than that waits, with its streams standing still.
 */
export interface PeerTime {
  /**
   * Does the work for so many events of `peer` when it is its turn, one piece of one peer at a time, and notes how long it
   * took. What waits when `signal` aborts is done at once: it has been read. Throws what `work` throws.
   */
  spend<T>(peer: string, events: number, signal: AbortSignal, work: () => T): Promise<T>;
}

export function createPeerTime(clock: Clock): PeerTime {
  const taken = createRateLimiter(SHARE, MOST_PEERS, clock);
  const turns = new Map<string, Mutex>();
  const turnOf = (peer: string): Mutex => {
    const turn = turns.get(peer) ?? new Mutex();
    turns.set(peer, turn);
    return turn;
  };
  return {
    async spend(peer, events, signal, work) {
      if (peer === SELF) {
        await nextTurn();
        return work();
      }
      return turnOf(peer).runExclusive(async () => {
        await nextTurn();
        const owedMs = taken.owedMs(peer);
        if (owedMs > 0) await pause(clock, owedMs, signal);
        const beganMs = clock.monotonicMs();
        try {
          return work();
        } finally {
          taken.charge(peer, clock.monotonicMs() - beganMs + events * EVENT_MS);
        }
      });
    },
  };
}
