import type { Json } from '@writ/core';
import type { ReadTx, RemovalTx, WriteTx } from '@writ/database';

/** What a person can be asked about. Closed. */
export const APPROVAL_KINDS = [
  'task',
  'lease',
  'execution',
  'plan',
  'permission',
  'credential',
  'policy',
  'peer',
] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** How far a yes reaches: this once · the session (opens the assent window) · the target (the destructive window). */
export const APPROVAL_SCOPES = ['once', 'session', 'target'] as const;
export type ApprovalScope = (typeof APPROVAL_SCOPES)[number];

/** Every state but the first is final. */
export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired', 'cancelled'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** One agent's piece of work: the node where it began, and an id there. Two origins cannot collide. */
export interface SessionKey {
  readonly origin: string;
  readonly session: string;
}

/** A question to a person, bound by digest to the exact action; decided once. */
export interface Approval extends SessionKey {
  readonly id: string;
  readonly kind: ApprovalKind;
  /** Id of the agent at the origin. */
  readonly agent: string;
  /** The task that waits for the answer; absent where none does. */
  readonly task?: string;
  /** Node id of who asked, or `self`. */
  readonly requestedBy: string;
  /** SHA-256 of what would be done, hex. */
  readonly digest: string;
  /** All of what would be done, for people: visible characters and line ends only. */
  readonly preview: string;
  /** What would be done, in the form of its kind. */
  readonly subject: Json;
  /** What may be answered besides no. */
  readonly scopes: readonly ApprovalScope[];
  /** Policy generation that it was asked under; for explanation only. */
  readonly generation: number;
  readonly state: ApprovalState;
  readonly createdAtMs: number;
  /** Until when it can be answered. */
  readonly expiresAtMs: number;
  readonly decidedAtMs?: number;
  /** Id of an approver, `terminal`, or `node` for an ending that no person chose. */
  readonly decidedBy?: string;
  readonly scope?: ApprovalScope;
  /** What proves who decided, as it was given. */
  readonly proof?: Json;
  /** Until when a yes can be used. */
  readonly useByMs?: number;
  readonly usedAtMs?: number;
  readonly version: number;
}

export type NewApproval = Omit<
  Approval,
  'state' | 'createdAtMs' | 'decidedAtMs' | 'decidedBy' | 'scope' | 'proof' | 'useByMs' | 'usedAtMs' | 'version'
>;

/** A person's answer as it is stored. */
export type ApprovalDecision =
  | {
      readonly state: 'approved';
      readonly decidedBy: string;
      readonly scope: ApprovalScope;
      readonly proof: Json;
      readonly useByMs: number;
    }
  | { readonly state: 'denied'; readonly decidedBy: string; readonly proof: Json };

/** Records of approvals. Every method works inside the caller's transaction. */
export interface ApprovalStore {
  /** Throws DATABASE_ERROR where the same question waits already; `findPending` first. */
  insert(tx: WriteTx, approval: NewApproval): Approval;
  get(tx: ReadTx, id: string): Approval | undefined;
  /** The same question, if it waits. */
  findPending(
    tx: ReadTx,
    question: Pick<Approval, 'origin' | 'session' | 'agent' | 'kind' | 'task' | 'digest'>,
  ): Approval | undefined;
  /** The newest that was asked under this key of its asker's, whatever became of it: what its subject calls `request`. */
  findByRequest(
    tx: ReadTx,
    request: Pick<Approval, 'origin' | 'session' | 'requestedBy' | 'kind' | 'task'> & { readonly key: string },
  ): Approval | undefined;
  /** Id of one that stands in the place of this question, waits, and cannot be read. */
  findUnreadable(
    tx: ReadTx,
    question: Pick<Approval, 'origin' | 'session' | 'agent' | 'kind' | 'task' | 'digest'>,
  ): string | undefined;
  countPendingOfSession(tx: ReadTx, key: SessionKey): number;
  countPendingOfTask(tx: ReadTx, task: string): number;
  countPendingOfAsker(tx: ReadTx, requestedBy: string): number;
  /** What waits of an asker outside tasks, in sessions whose ids begin with `prefix`; oldest first. */
  pendingIn(tx: ReadTx, requestedBy: string, prefix: string): readonly Pick<Approval, 'id' | 'createdAtMs'>[];
  /**
   * How many questions of an asker were put after a moment and up to another, whatever became of them: outside tasks in sessions whose ids begin
   * with `prefix` (`in`), or all others (`beside`).
   */
  countBetween(
    tx: ReadTx,
    of: { readonly requestedBy: string; readonly prefix: string; readonly which: 'in' | 'beside' },
    sinceMs: number,
    untilMs: number,
  ): number;
  /** When the question was put that `place` others of its session came after; undefined: there are not so many. */
  newestAtMs(tx: ReadTx, key: SessionKey, place: number): number | undefined;
  /** Newest first. */
  list(
    tx: ReadTx,
    filter: {
      readonly pendingOnly: boolean;
      readonly key?: SessionKey;
      readonly task?: string;
      readonly limit: number;
    },
  ): readonly Approval[];
  /**
   * The answer, or undefined where somebody was faster, in which case nothing has changed.
   * INVARIANT: 5 check and change are one statement.
   */
  decide(tx: WriteTx, before: Pick<Approval, 'id' | 'version'>, decision: ApprovalDecision): Approval | undefined;
  /** Uses a yes, once: false where it is none, was used, is too old, is about something else, or the clock is back. */
  use(tx: WriteTx, id: string, digest: string): boolean;
  /**
   * Ends what waited too long; returns what it ended. Of a row that cannot be read whole it returns, as the other endings
   * do, what names it: whoever waits for it hears of its end.
   */
  expireDue(tx: WriteTx, limit: number): readonly Approval[];
  /** Ends one that waits, without anybody's answer; undefined where it waits no more. */
  end(tx: WriteTx, id: string, state: 'expired' | 'cancelled'): Approval | undefined;
  /** Ends everything that waits for this session, or for this task. */
  cancelOf(tx: WriteTx, whose: SessionKey | { readonly task: string }): readonly Approval[];
  /** Ends every question that waits, whatever the clock says; returns them. */
  endAll(tx: WriteTx): readonly Approval[];
  /**
   * Keeps every yes to a task or a command that was not used from being used, whatever the clock says: those of one
   * approver, or all; returns their ids.
   */
  dropUnused(tx: WriteTx, decidedBy?: string): readonly string[];
  /** Removes at most `limit` that ended over thirty days ago; returns how many. */
  prune(tx: RemovalTx, limit: number): number;
}
