import type { Logger, Random, RunningCode, WritError } from '@writ/core';
import type { Database, ReadTx, WriteTx } from '@writ/database';
import type { Lease, LeaseStore, RequestLogStore } from '@writ/lease-store';
import type { Decision, DecisionRequest, PolicyEngine } from '@writ/policy';

/** Who asks, as credentials proved it; never as the caller declared it. */
export interface Subject {
  /** Node id of the sender, or `self`. */
  readonly from: string;
  readonly origin: string;
  readonly session: string;
}

/** The part of a decision request that comes from the asker; authority adds leases and usage. */
export type Ask = Omit<DecisionRequest, 'from' | 'leases' | 'usage' | 'approved'>;

/** A start that was permitted, inside its transaction. */
export type StartPermit =
  | { readonly permitted: true; readonly decision: Decision; readonly lease?: Lease; readonly deadlineMs: number }
  | {
      readonly permitted: false;
      readonly decision: Decision;
      /** `LEASE_EXPIRED` and `LEASE_REVOKED` where the newest lease for the work ended so; `decision` says the rest. */
      readonly code:
        | RunningCode
        | 'LEASE_REQUIRED'
        | 'PROFILE_NOT_ALLOWED'
        | 'WRIT_EXPIRED'
        | 'CLOCK_BACKWARDS'
        | ApprovalLack;
      /** Why, for people: the decision's own reason, or what is missing although it allows. */
      readonly message: string;
    };

/** Why a yes does not serve a start: it was not given · to something else · too long ago. */
export type ApprovalLack = 'APPROVAL_REQUIRED' | 'CHANGED_SINCE_APPROVAL' | 'EXPIRED';

/** Until when something is lent: for a duration from the moment on at which it is lent, or until a time since the epoch, whenever that is. */
export type LeaseSpan =
  | { readonly durationMs: number; readonly endsAtMs?: undefined }
  | { readonly endsAtMs: number; readonly durationMs?: undefined };

/** A lease as a person asks for it. */
export type LeaseGrant = LeaseTerms & LeaseSpan;

/** What is lent, but for how long. */
export interface LeaseTerms {
  /** Label or node id of a peer, or `self`. */
  readonly peer: string;
  readonly profile: string;
  readonly workspaces?: readonly string[];
  readonly maxUses?: number;
  readonly origin?: string;
  readonly session?: string;
  readonly issuedBy: string;
}

/** May this happen now: policy joined with what a person has lent. */
export interface Authority {
  /**
   * Decides with leases and usage of this moment, counts the request and audits the decision, whatever comes out.
   * An `ask` is returned as it is: its caller asks a person, or answers it as a refusal.
   */
  decide(tx: WriteTx, subject: Subject, ask: Ask): Decision;
  /** Decides without counting and without effect, for `explain` and `CheckPolicy`; opens its own read transaction. */
  preview(subject: Subject, ask: Ask): Decision;
  /**
   * What `permitStart` would decide now, of work that was admitted; without effect, in its own read transaction.
   * `approved`: taking for granted that a person has said yes.
   */
  previewStart(subject: Subject, ask: Ask, approved?: boolean): Decision;
  /** The same in the caller's transaction. */
  decideStart(tx: ReadTx, subject: Subject, ask: Ask, approved?: boolean): Decision;
  /**
   * Decides again on the current snapshot and claims the lease, in the transaction that starts the attempt. Limits are
   * not applied again: they bound what is asked for, and this was admitted. The deadline is the earliest of the
   * profile's and the asker's timeout and the lease's expiry. After the writ's end nothing starts; what it means for
   * what runs then is the profile's `on_partition`. `useApproval` uses the yes that was given to exactly what the
   * decision leads to, or says why there is none; it is called only where policy asks for one.
   * INVARIANT: 4 a high-risk start commits only with a live lease in the same transaction.
   */
  permitStart(
    tx: WriteTx,
    subject: Subject,
    ask: Ask,
    bounds: {
      readonly timeoutMs?: number;
      readonly writExpiresAtMs?: number;
      readonly useApproval?: (decision: Decision) => ApprovalLack | undefined;
    },
  ): StartPermit;
  /** How many starts the leases are good for that cover this now; infinite where one is without a count, or none is needed. */
  usesLeft(tx: ReadTx, subject: Subject, ask: Ask): number;
  /** Gives the claimed use back; only where no process was ever spawned. */
  returnClaim(tx: WriteTx, leaseId: string): void;
  /**
   * Lends a profile: records its closure of this moment, so that a profile that grows later does not widen the lease.
   * Throws PEER_UNKNOWN, PROFILE_UNKNOWN, NOT_FOUND (workspace), BAD_REQUEST or CLOCK_BACKWARDS.
   */
  grantLease(grant: LeaseGrant): Lease;
  /** The same in the caller's transaction. */
  grantLeaseIn(tx: WriteTx, grant: LeaseGrant): Lease;
  /**
   * Lets a live lease end later, never past its own maximum; a duration counts from now. Throws NOT_FOUND, EXPIRED,
   * LEASE_REVOKED, BAD_REQUEST or CLOCK_BACKWARDS.
   */
  renewLease(id: string, span: LeaseSpan, by: string): Lease;
  /** Newest first. `peer`: label or id, or any id, configured or not; throws PEER_UNKNOWN for another name. */
  listLeases(filter: { readonly peer?: string; readonly includeDead?: boolean }): readonly Lease[];
  /** Throws NOT_FOUND for an id that is none; false where it was revoked before. */
  revokeLease(id: string, by: string): boolean;
  /** Called after the commit of a revocation; what a listener throws is logged and stops no other. */
  onLeaseRevoked(listener: (lease: Lease) => void): () => void;
  /** Called after the commit of a grant, whoever lent; what a listener throws is logged and stops no other. */
  onLeaseLent(listener: (lease: Lease) => void): () => void;
  /** Tells those listeners of a lease that was lent in the caller's transaction, after its commit. */
  tellLent(tx: WriteTx, lease: Lease): void;
  /** Ends every lease, expired or not, in the transaction that accepts a clock that went back; returns how many. */
  endLeases(tx: WriteTx, by: string): number;
  /** Ends every live lease of a peer, by node id, in the transaction that ends the trust in it. */
  endLeasesOf(tx: WriteTx, peer: string, by: string): void;
  /** Removes dead leases and old request counts, a bounded number at a time; for the start and every hour. */
  sweep(): { readonly leases: number; readonly requests: number };
}

/** How authority learns what already runs; task-store implements it at the root. */
export interface LiveTaskCounter {
  countLive(tx: ReadTx, subject: string): number;
}

/** What authority is built from. */
export interface AuthorityOptions {
  readonly database: Database;
  readonly leases: LeaseStore;
  readonly requestLog: RequestLogStore;
  /** The node's one engine. */
  readonly engine: PolicyEngine;
  readonly liveTasks: LiveTaskCounter;
  readonly random: Random;
  readonly logger: Logger;
}

/** Thrown values of this package are WritErrors with these codes. */
export type AuthorityError = WritError;
