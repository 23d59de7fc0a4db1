import type { Admitted } from './peer-records.ts';

/** A joiner that has proved an invite and waits for the inviting person. */
export interface PendingJoiner {
  readonly peerId: string;
  /** Settles the wait of the exchange. */
  settle(outcome: JoinOutcome): void;
  /** Stores the peer. */
  admit(): Promise<Admitted>;
}

/** How a wait ended. */
export type JoinOutcome =
  | { readonly kind: 'accepted'; readonly admitted: Admitted }
  | { readonly kind: 'refused' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Who waits, by invite. Taking is the one step in which person, time and joiner race: whoever takes, decides. */
export interface PendingJoiners {
  add(invite: string, joiner: PendingJoiner): void;
  take(invite: string): PendingJoiner | undefined;
}

export function createPendingJoiners(): PendingJoiners {
  const joiners = new Map<string, PendingJoiner>();
  return {
    add: (invite, joiner) => void joiners.set(invite, joiner),
    take(invite) {
      const joiner = joiners.get(invite);
      joiners.delete(invite);
      return joiner;
    },
  };
}
