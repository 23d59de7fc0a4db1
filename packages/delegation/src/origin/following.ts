import type { WritError } from '@writ/core';
import type { RefusedDecision } from '../types.ts';

/** What handing a task over came to. `pending`: it goes on in the background. */
export type Handover =
  /** `waits`: a person of the executor has to answer first, as far as the executor said when it took the task. */
  | { readonly kind: 'accepted'; readonly waits?: boolean }
  | { readonly kind: 'refused'; readonly decidedBy: 'here' | 'peer'; readonly decision: RefusedDecision }
  | { readonly kind: 'failed'; readonly error: WritError }
  | { readonly kind: 'pending' };

/** Brings one task to its executor and everything about it back, until it is terminal. */
export interface Follower {
  /** Resolves once: what `delegate` answers. */
  readonly handover: Promise<Handover>;
  /** Resolves when it has stopped; never rejects. */
  readonly done: Promise<void>;
  /** Why this node cannot store what comes back, as long as it cannot. */
  fault(): WritError | undefined;
  /** The intent to cancel was stored: acts on it now. */
  cancelRequested(): void;
  stop(): void;
}
