import type { ReadTx, WriteTx } from '@writ/database';

/** One agent's piece of work: the node where it began, and an id there. */
export interface SessionOf {
  readonly origin: string;
  readonly session: string;
}

/** A peer that has to hear of the end of a session. */
export interface OwedEnd extends SessionOf {
  readonly peer: string;
  /** What the origin has signed; absent: this node is the origin. */
  readonly statement?: Uint8Array;
}

/** Port: what is known of sessions, and who has to hear of their ends. The authority of this node implements it. */
export interface SessionEnds {
  get(tx: ReadTx, key: SessionOf): { readonly agent: string; readonly endedAtMs?: number } | undefined;
  /** Stores one that this node has not heard of. */
  start(tx: WriteTx, session: SessionOf & { readonly agent: string }): void;
  /** Remembers the end of one that nothing was asked in here, as long and as many as are worth it; see `takeSessionEnd`. */
  noteEnded(tx: WriteTx, session: SessionOf & { readonly agent: string }): void;
  /** Remembers that a peer is asked for something that is no task, before it is: it has to hear of the end. */
  hold(tx: WriteTx, key: SessionOf, peer: string): void;
  /** Peers that were; those that have tasks are not among them for that. */
  holders(tx: ReadTx, key: SessionOf): readonly string[];
  /**
   * Ends what waits for it, in a transaction of its own, and remembers that the peers are owed the news. False where it
   * had ended. Throws NOT_FOUND.
   */
  end(key: SessionOf, by: string, peers: readonly string[], statement?: Uint8Array): boolean;
  /** Called after an end, whoever ended it, whose news is owed to somebody; returns how to stop. */
  onOwed(listener: () => void): () => void;
  /** Oldest first; of one peer when asked. */
  listOwed(tx: ReadTx, filter: { readonly peer?: string; readonly limit: number }): readonly OwedEnd[];
  settle(tx: WriteTx, owed: OwedEnd): void;
}
