import { type Clock, createRateLimiter, nextTurn, pause } from '@writ/core';

/** How much of this node's time the events of one peer may take, milliseconds a second; and how much at once. */
const SHARE = { perSecond: 250, burst: 1000 };
/** What each event takes besides the transaction that stores it: it is read, checked and written to the disk. Milliseconds. */
const EVENT_MS = 0.2;
/** Peers that are remembered at once; a configuration has fewer that owe anything. */
const MOST_PEERS = 20_000;

/**
 * What taking over the events of each peer costs, so that none of them can keep this node from everybody else: one that tells
 * faster than that waits, with its stream standing still.
 */
export interface PeerTime {
  /** Does the work for so many events of `peer`, and notes how long it took. */
  spend<T>(peer: string, events: number, work: () => T): T;
  /** Resolves when it is somebody else's turn no more: at the earliest when all that waits has run, or when `signal` aborts. */
  ready(peer: string, signal: AbortSignal): Promise<void>;
}

export function createPeerTime(clock: Clock): PeerTime {
  const taken = createRateLimiter(SHARE, MOST_PEERS, clock);
  return {
    spend(peer, events, work) {
      const beganMs = clock.monotonicMs();
      try {
        return work();
      } finally {
        taken.charge(peer, clock.monotonicMs() - beganMs + events * EVENT_MS);
      }
    },
    async ready(peer, signal) {
      const owedMs = taken.owedMs(peer);
      if (owedMs > 0) await pause(clock, owedMs, signal);
      else await nextTurn();
    },
  };
}
