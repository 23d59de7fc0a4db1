import type { Lease } from '@writ/authority';
import type { LeaseView } from '../client/types.ts';
import type { LabelOf } from './task-view.ts';

/** A lease as a person sees it at `nowMs`. */
export function viewLease(lease: Lease, labelOf: LabelOf, nowMs: number): LeaseView {
  const { session, maxUses, revokedAtMs } = lease;
  return {
    id: lease.id,
    peer: labelOf(lease.peer),
    peer_id: lease.peer,
    origin: lease.origin,
    ...(session === undefined ? {} : { session }),
    profile: lease.profile,
    closure: [...lease.closure],
    workspaces: [...lease.workspaces],
    issued_by: lease.issuedBy,
    issued_at_ms: lease.issuedAtMs,
    expires_at_ms: lease.expiresAtMs,
    ...(maxUses === undefined ? {} : { max_uses: maxUses }),
    uses: lease.uses,
    ...(revokedAtMs === undefined ? {} : { revoked_at_ms: revokedAtMs }),
    live: revokedAtMs === undefined && lease.expiresAtMs > nowMs && lease.uses < (maxUses ?? Number.POSITIVE_INFINITY),
  };
}
