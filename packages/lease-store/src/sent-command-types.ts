import type { ReadTx, RemovalTx, WriteTx } from '@writ/database';
import type { ExecutionClass, ExecutionState } from './execution-types.ts';

/** A gated command that was asked of a peer, as the node knows it that asked. */
export interface SentCommand {
  /** What makes asking again safe; chosen here. */
  readonly key: string;
  /** Node id. */
  readonly peer: string;
  /** The peer's id of it; absent: it has not answered. */
  readonly id?: string;
  readonly session: string;
  readonly agent: string;
  readonly profile?: string;
  readonly argv: readonly string[];
  readonly sentAtMs: number;
  /** What the peer said last; absent: nothing yet. */
  readonly known?: SentCommandNews & { readonly seenAtMs: number };
}

/** What a peer says of one. */
export interface SentCommandNews {
  /** `refused`: it has taken nothing, so that the same may be asked again. */
  readonly state: ExecutionState | 'refused';
  readonly class?: ExecutionClass;
  /** Closed code: how it ended, or why it was refused. */
  readonly code?: string;
}

/** One of them, by this node's key or by the peer's id. */
export type SentCommandRef = { readonly peer: string } & ({ readonly key: string } | { readonly id: string });

/** Records of what was asked of peers. Every method works inside the caller's transaction. */
export interface SentCommandStore {
  /** Stores it before it goes out; does nothing where it is there. */
  insert(tx: WriteTx, command: Omit<SentCommand, 'sentAtMs' | 'known'>): void;
  /** By the peer's id of it. */
  find(tx: ReadTx, whose: { readonly peer: string; readonly id: string }): SentCommand | undefined;
  /** Takes the peer's id of one that has none yet. */
  name(tx: WriteTx, whose: { readonly peer: string; readonly key: string }, id: string): void;
  /** Newest first. */
  list(tx: ReadTx, limit: number): readonly SentCommand[];
  /**
   * Takes what that peer says; whatever else is said of one that has ended, or by another peer, changes nothing.
   * `isFinal`: nothing more becomes of it. False where nothing changed.
   */
  note(tx: WriteTx, whose: SentCommandRef, news: SentCommandNews, isFinal: boolean): boolean;
  /** Removes at most `limit` that were sent over thirty days ago; returns how many. */
  prune(tx: RemovalTx, limit: number): number;
}
