import type { ReadTx, RemovalTx, WriteTx } from '@writ/database';
import type { SessionKey } from './approval-types.ts';

/** `assent`: config changes of an agent in a session · `destructive`: destructive actions on one target besides. */
export const WINDOW_KINDS = ['assent', 'destructive'] as const;
export type WindowKind = (typeof WINDOW_KINDS)[number];

/** What runs without asking, until when. */
export interface Window extends SessionKey {
  readonly id: string;
  readonly kind: WindowKind;
  readonly agent: string;
  /** Name of the workspace that it was asked for; absent: what was asked for named none. */
  readonly workspace?: string;
  /** Canonical `host/kind/name`; exactly the destructive ones have it. */
  readonly target?: string;
  /** Profile that the right rests on: where policy takes it away, the window closes. */
  readonly profile: string;
  /** Digests of the only actions that it covers; absent: not limited to them, and the steps of its plan are in its approval. */
  readonly steps?: readonly string[];
  /** Id of the approval that opened it. */
  readonly approval: string;
  readonly openedAtMs: number;
  readonly expiresAtMs: number;
  /** Absent: unlimited. */
  readonly maxUses?: number;
  readonly uses: number;
  readonly closedAtMs?: number;
  /** Id of an approver, `terminal`, `person`, or `node`. */
  readonly closedBy?: string;
  readonly version: number;
}

export type NewWindow = Omit<Window, 'openedAtMs' | 'uses' | 'closedAtMs' | 'closedBy' | 'version'>;

/**
 * Which window something would need. A part that is missing or empty finds none, and no wider key is tried: without a
 * workspace it finds those without one.
 */
export type WindowKey = SessionKey & { readonly agent: string; readonly workspace?: string } & (
    | { readonly kind: 'assent' }
    | { readonly kind: 'destructive'; readonly target: string }
  );

/** Records of windows. Every method works inside the caller's transaction. */
export interface WindowStore {
  /** Throws DATABASE_ERROR for a key with an empty part: the table holds none. */
  open(tx: WriteTx, window: NewWindow): Window;
  get(tx: ReadTx, id: string): Window | undefined;
  /** Open, unexpired, not used up, for exactly this key; the longest-lived first. */
  findOpen(tx: ReadTx, key: WindowKey, nowMs: number): readonly Window[];
  /** Open and unexpired, newest first; of one session when asked. */
  listOpen(tx: ReadTx, filter: { readonly key?: SessionKey; readonly nowMs: number }): readonly Window[];
  /**
   * Counts one use of an open window; false where it is none any more.
   * INVARIANT: 6 the check and the count are one statement.
   */
  claimUse(tx: WriteTx, id: string): boolean;
  /** Gives a use back; only where no process was ever spawned. */
  returnUse(tx: WriteTx, id: string): void;
  /** Undefined where it was closed before or does not exist. */
  close(tx: WriteTx, id: string, by: string): Window | undefined;
  /** Closes every window of a session; returns them. */
  closeOf(tx: WriteTx, key: SessionKey, by: string): readonly Window[];
  /** Closes those that somebody's yes opened; returns them. */
  closeDecidedBy(tx: WriteTx, decidedBy: string, by: string): readonly Window[];
  /** Closes every one, expired or not, whatever the clock says; returns them. */
  endAll(tx: WriteTx): readonly Window[];
  /** Removes at most `limit` that ended over thirty days ago; returns how many. */
  prune(tx: RemovalTx, limit: number): number;
}
