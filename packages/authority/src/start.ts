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
    return refuse(decision, refusalOf(options, tx, request, decision));
  }
  if (bounds.writExpiresAtMs !== undefined && (tx.clockIsBackwards || bounds.writExpiresAtMs <= tx.nowMs)) {
    return refuse(decision, tx.clockIsBackwards ? 'CLOCK_BACKWARDS' : 'WRIT_EXPIRED');
  }
  // INVARIANT: 5 what starts is what a person said yes to, once.
  const lack = useApproval?.(decision);
  if (lack !== undefined) return refuse(plain.decision, lack);
  const claim = claimFor(options, tx, { decision, leases, workspace: ask.workspace });
  if (!claim.claimed) return refuse(decision, claim.code);
  const { lease } = claim;
  const timeoutMs = Math.min(grant.timeoutMs, bounds.timeoutMs ?? Number.POSITIVE_INFINITY);
  const deadlineMs = Math.min(tx.nowMs + timeoutMs, lease?.expiresAtMs ?? Number.POSITIVE_INFINITY);
  return { permitted: true, decision, deadlineMs, ...(lease === undefined ? {} : { lease }) };
}

function refuse(decision: Decision, code: RefusalCode): StartPermit {
  return { permitted: false, decision, code, message: MISSING[code] ?? decision.message };
}

/** What is missing where it is not policy that refuses. */
const MISSING: Partial<Record<RefusalCode, string>> = {
  WRIT_EXPIRED: 'the writ that it came with has ended',
  LEASE_EXPIRED: 'its lease has ended',
  LEASE_REVOKED: 'its lease was revoked',
  APPROVAL_REQUIRED: 'a person has to approve it, and none has',
  CHANGED_SINCE_APPROVAL: 'what would run is not what a person has approved: ask again',
  EXPIRED: 'it was approved too long ago, or the yes was used',
  CLOCK_BACKWARDS:
    'the clock of the executing node went back: nothing that is limited in time counts until it is right, or its person accepts it',
};

type Claim =
  | { readonly claimed: true; readonly lease?: Lease }
  | { readonly claimed: false; readonly code: RefusalCode };

/** INVARIANT: 4 a high-risk start commits only with a lease that this very transaction has found live and counted. */
function claimFor(
  options: AuthorityOptions,
  tx: WriteTx,
  { decision, leases, workspace }: { decision: Decision; leases: readonly Lease[]; workspace: string | undefined },
): Claim {
  if (decision.leaseId === undefined) {
    const profile = options.engine.snapshot().config.profiles.get(decision.effectiveProfile ?? '');
    // The engine said that none is needed; the profile itself is asked once more.
    return profile && !profile.requireLease ? { claimed: true } : { claimed: false, code: 'LEASE_REQUIRED' };
  }
  const lease = leases.find((candidate) => candidate.id === decision.leaseId);
  if (lease === undefined || !leaseCovers(lease, decision, workspace))
    return { claimed: false, code: 'LEASE_REQUIRED' };
  const claim = options.leases.claimUse(tx, lease.id);
  return claim.claimed ? { claimed: true, lease } : { claimed: false, code: CLAIM_CODES[claim.refusal] };
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
