import type { ApproverProof, DecisionStatement, Listeners, Random, WritCode } from '@writ/core';
import type { Database, ReadTx, WriteTx } from '@writ/database';
import type {
  Approval,
  ApprovalKind,
  ApprovalStore,
  Approver,
  ApproverStore,
  Execution,
  ExecutionStore,
  SessionKey,
  SessionStore,
  Window,
  WindowStore,
} from '@writ/lease-store';
import type { PolicyEngine } from '@writ/policy';

/** Why something is refused, as a value. */
export interface Refusal {
  readonly code: WritCode;
  /** Lower case, no full stop, safe to show. */
  readonly message: string;
  readonly nextSteps: readonly string[];
}

/** Who asks, as credentials proved it; never as the caller declared it. */
export interface Asker extends SessionKey {
  /** Id of the agent at the origin. */
  readonly agent: string;
  /** The task whose own agent asks; absent: none. */
  readonly task?: string;
  /** Node id of who asks, or `self`. */
  readonly requestedBy: string;
}

/** Whether tasks live; task-store implements it at the root. */
export interface TaskLookup {
  isLive(tx: ReadTx, task: string): boolean;
}

/**
 * Whether a proof is this approver's over exactly this statement; identity implements it for each kind of credential.
 * Never asked about `terminal`.
 */
export type ProofCheck = (approver: Approver, proof: ApproverProof, statement: DecisionStatement) => boolean;

/** Something that has changed, told after its commit. */
export type AuthorityEvent =
  | { readonly kind: 'approval'; readonly approval: Approval }
  | { readonly kind: 'window'; readonly window: Window }
  | { readonly kind: 'execution'; readonly execution: Execution };

/** What one kind of approval is about. */
export interface KindRules {
  /** Why policy of this generation would refuse it whatever a person says; undefined: it would not. */
  refusal(tx: ReadTx, approval: Approval): Refusal | undefined;
  /** Digest of what would be done now; undefined: it is gone. */
  digestNow(tx: ReadTx, approval: Approval): string | undefined;
  /** Effects of an ending (approved, denied, expired or cancelled), in its transaction. */
  settle(tx: WriteTx, approval: Approval): void;
}

/** Rules of every kind; there is no default for a kind that is left out. */
export type ApprovalKinds = Readonly<Record<ApprovalKind, KindRules>>;

/** What approvals, windows and gated commands of one node are built from. */
export interface RecordParts {
  /** Node id of this node. */
  readonly self: string;
  readonly database: Database;
  /** The node's one engine. */
  readonly engine: PolicyEngine;
  readonly approvals: ApprovalStore;
  readonly approvers: ApproverStore;
  readonly windows: WindowStore;
  readonly executions: ExecutionStore;
  readonly sessions: SessionStore;
  readonly tasks: TaskLookup;
  readonly random: Random;
  readonly events: Listeners<AuthorityEvent>;
}
