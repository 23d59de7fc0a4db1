import { foldName } from '@writ/core';
import type { ReadTx } from '@writ/database';
import type { Lease, LeaseStore } from '@writ/lease-store';
import type { Decision, LeaseFact } from '@writ/policy';
import { leaseQueryOf } from './subject.ts';
import type { Subject } from './types.ts';

/**
 * The live leases of a subject in the order of preference: those without a use count before those that a use consumes,
 * then the longest-lived, because the lease's expiry ends the work.
 */
export function findLeases(store: LeaseStore, tx: ReadTx, subject: Subject, nowMs: number): readonly Lease[] {
  const leases = store.findLive(tx, leaseQueryOf(subject), nowMs);
  const counted = (lease: Lease): number => (lease.maxUses === undefined ? 0 : 1);
  return [...leases].sort((a, b) => counted(a) - counted(b) || b.expiresAtMs - a.expiresAtMs);
}

/** A lease as policy sees it. */
export function factOf(lease: Lease): LeaseFact {
  const { id, profile, closure, workspaces, expiresAtMs } = lease;
  return { id, profile, closure, workspaces, expiresAtMs };
}

/**
 * Whether a lease covers what was decided. A lease is of a profile, by name: one of a bigger profile does not serve a
 * request that was cut down to a smaller one, because the person who lent it looked at the one that it names. What
 * the profile gained since is not covered.
 * INVARIANT: 4 asked again here, beside the engine, where the lease is claimed.
 */
export function leaseCovers(lease: Lease, decision: Decision, workspace: string | undefined): boolean {
  if (lease.profile !== decision.effectiveProfile) return false;
  if (!decision.grant?.closure.every((capability) => lease.closure.includes(capability))) return false;
  const named = workspace === undefined ? undefined : foldName(workspace);
  return lease.workspaces.length === 0 || (named !== undefined && lease.workspaces.includes(named));
}
