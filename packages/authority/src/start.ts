import type { WriteTx } from '@writ/database';
import type { ClaimRefusal, Lease } from '@writ/lease-store';
import type { Decision, DecisionRequest } from '@writ/policy';
import { auditDecision, decideNow } from './deciding.ts';
import { leaseCovers } from './lease-facts.ts';
import { leaseQueryOf } from './subject.ts';
import type { Ask, Authority, AuthorityOptions, StartPermit, Subject } from './types.ts';

/** Who starts what, within which further bounds. */
export interface StartRequest {
  readonly subject: Subject;
  readonly ask: Ask;
  readonly bounds: Parameters<Authority['permitStart']>[3];
}

type RefusalCode = Extract<StartPermit, { permitted: false }>['code'];

/** The request was counted and measured against the limits when it was admitted. */
export const NO_USAGE: DecisionRequest['usage'] = { concurrent: 0, lastHour: 0 };

/** Codes of a subject or chain that is no longer trusted. */
const TRUST: readonly Decision['code'][] = [
  'PEER_UNKNOWN',
  'PEER_DISABLED',
  'ORIGIN_NOT_ACCEPTED',
  'CHAIN_CYCLE',
  'CHAIN_MISMATCH',
  'CHAIN_TOO_DEEP',
];

/** Decides again, claims the lease and sets the deadline: the last look before an attempt starts. */
export function permitStart(options: AuthorityOptions, tx: WriteTx, request: StartRequest): StartPermit {
  const permit = lookAgain(options, tx, request);
  const { subject, ask } = request;
  auditDecision(tx, permit.permitted ? 'start.permitted' : 'start.refused', {
    subject,
    ask,
    decision: permit.decision,
  });
  return permit;
}

function lookAgain(options: AuthorityOptions, tx: WriteTx, request: StartRequest): StartPermit {
  const { subject, ask, bounds } = request;
  // INVARIANT: 2 the decision is made on the snapshot of this moment, whatever was decided when it was admitted.
  const question = { subject, ask, usage: NO_USAGE };
  const plain = decideNow(options, tx, question);
  const isAsked = plain.decision.effect === 'ask' && plain.decision.code === 'APPROVAL_REQUIRED';
  const useApproval = isAsked ? bounds.useApproval : undefined;
  const { decision, leases } = useApproval ? decideNow(options, tx, { ...question, approved: true }) : plain;
  const { grant } = decision;
  if (decision.effect !== 'allow' || grant === undefined) {
    return { permitted: false, decision, code: refusalOf(options, tx, request, decision) };
  }
  if (bounds.writExpiresAtMs !== undefined && bounds.writExpiresAtMs <= tx.nowMs) {
    return { permitted: false, decision, code: 'WRIT_EXPIRED' };
  }
  // INVARIANT: 5 what starts is what a person said yes to, once.
  const lack = useApproval?.(decision);
  if (lack !== undefined) return { permitted: false, decision: plain.decision, code: lack };
  const claim = claimFor(options, tx, { decision, leases, workspace: ask.workspace });
  if (claim.kind === 'refused') return { permitted: false, decision, code: claim.code };
  const lease = claim.lease;
  const timeoutMs = Math.min(grant.timeoutMs, bounds.timeoutMs ?? Number.POSITIVE_INFINITY);
  const deadlineMs = Math.min(tx.nowMs + timeoutMs, lease?.expiresAtMs ?? Number.POSITIVE_INFINITY);
  return { permitted: true, decision, deadlineMs, ...(lease === undefined ? {} : { lease }) };
}

type Claim =
  | { readonly kind: 'claimed'; readonly lease?: Lease }
  | { readonly kind: 'refused'; readonly code: RefusalCode };

/** INVARIANT: 4 a high-risk start commits only with a lease that this very transaction has found live and counted. */
function claimFor(
  options: AuthorityOptions,
  tx: WriteTx,
  { decision, leases, workspace }: { decision: Decision; leases: readonly Lease[]; workspace: string | undefined },
): Claim {
  if (decision.leaseId === undefined) {
    const profile = options.engine.snapshot().config.profiles.get(decision.effectiveProfile ?? '');
    // The engine said that none is needed; the profile itself is asked once more.
    return profile && !profile.requireLease ? { kind: 'claimed' } : { kind: 'refused', code: 'LEASE_REQUIRED' };
  }
  const lease = leases.find((candidate) => candidate.id === decision.leaseId);
  if (lease === undefined || !leaseCovers(lease, decision, workspace))
    return { kind: 'refused', code: 'LEASE_REQUIRED' };
  const claim = options.leases.claimUse(tx, lease.id);
  return claim.claimed ? { kind: 'claimed', lease } : { kind: 'refused', code: CLAIM_CODES[claim.refusal] };
}

const CLAIM_CODES: Readonly<Record<ClaimRefusal, RefusalCode>> = {
  missing: 'LEASE_REQUIRED',
  revoked: 'LEASE_REVOKED',
  expired: 'LEASE_EXPIRED',
  'used-up': 'LEASE_REQUIRED',
  'clock-backwards': 'CLOCK_BACKWARDS',
};

/** The code of work that policy no longer allows, whether it waits or runs; not for LEASE_REQUIRED of what waits. */
export function withdrawalCode(decision: Decision): 'TRUST_REVOKED' | 'PROFILE_NOT_ALLOWED' {
  return TRUST.includes(decision.code) ? 'TRUST_REVOKED' : 'PROFILE_NOT_ALLOWED';
}

/** How the task ends for this decision: what it had when it was admitted has gone away since. */
function refusalOf(options: AuthorityOptions, tx: WriteTx, { subject }: StartRequest, decision: Decision): RefusalCode {
  if (decision.code === 'APPROVAL_REQUIRED') return decision.code;
  if (decision.code !== 'LEASE_REQUIRED') return withdrawalCode(decision);
  if (tx.clockIsBackwards) return 'CLOCK_BACKWARDS';
  const { peer, origin, session } = leaseQueryOf(subject);
  const last = options.leases
    .list(tx, { peer, includeDead: true, nowMs: tx.nowMs })
    .find(
      (lease) =>
        lease.origin === origin &&
        (lease.session === undefined || lease.session === session) &&
        lease.profile === decision.effectiveProfile,
    );
  if (last?.revokedAtMs !== undefined) return 'LEASE_REVOKED';
  return last !== undefined && last.expiresAtMs <= tx.nowMs ? 'LEASE_EXPIRED' : 'LEASE_REQUIRED';
}
