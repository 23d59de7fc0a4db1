import type { RunningCode, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Lease, LeaseStore } from '@writ/lease-store';
import type { Decision, DecisionRequest } from '@writ/policy';

/** Who asks, as credentials proved it; never as the caller declared it. */
export interface Subject {
  /** Node id of the sender, or `self`. */
  readonly from: string;
  readonly origin: string;
  readonly session: string;
}

/** The part of a decision request that comes from the asker; authority adds leases and usage. */
export type Ask = Omit<DecisionRequest, 'from' | 'leases' | 'usage'>;

/** A start that was permitted, inside its transaction. */
export type StartPermit =
  | { readonly permitted: true; readonly decision: Decision; readonly lease?: Lease; readonly deadlineMs: number }
  | {
      readonly permitted: false;
      readonly decision: Decision;
      readonly code: RunningCode | 'LEASE_REQUIRED' | 'PROFILE_NOT_ALLOWED';
    };

/** A lease as a person asks for it. */
export interface LeaseGrant {
  /** Label or node id of a peer, or `self`. */
  readonly peer: string;
  readonly profile: string;
  readonly durationMs: number;
  readonly workspaces?: readonly string[];
  readonly maxUses?: number;
  readonly origin?: string;
  readonly session?: string;
  readonly issuedBy: string;
}

/** May this happen now: policy joined with what a person has lent. */
export interface Authority {
  /** Decides with leases and usage of this moment and counts the request, whatever comes out. */
  decide(tx: WriteTx, subject: Subject, ask: Ask): Decision;
  /** Decides without counting and without effect, for `explain` and `CheckPolicy`. */
  preview(subject: Subject, ask: Ask): Decision;
  /**
   * Decides again and claims the lease, in the transaction that starts the attempt.
   * INVARIANT: 4 a high-risk start commits only with a live lease in the same transaction.
   */
  permitStart(
    tx: WriteTx,
    subject: Subject,
    ask: Ask,
    bounds: { readonly timeoutMs?: number; readonly writExpiresAtMs?: number },
  ): StartPermit;
  /** Gives the claimed use back; only where no process was ever spawned. */
  returnClaim(tx: WriteTx, leaseId: string): void;
  grantLease(grant: LeaseGrant): Lease;
  listLeases(filter: { readonly peer?: string; readonly includeDead?: boolean }): readonly Lease[];
  /** Throws NOT_FOUND for an id that is none; false where it was revoked before. */
  revokeLease(id: string, by: string): boolean;
  /** Called after the commit of a revocation. */
  onLeaseRevoked(listener: (lease: Lease) => void): () => void;
}

/** How authority learns what already runs; task-store implements it at the root. */
export interface LiveTaskCounter {
  countLive(tx: WriteTx | Parameters<LeaseStore['get']>[0], subject: string): number;
}

/** Thrown values of this package are WritErrors with these codes. */
export type AuthorityError = WritError;
