import { foldId } from '@writ/core';
import type { LeaseQuery } from '@writ/lease-store';
import type { Subject } from './types.ts';

/** How this machine's own agent is named where a peer has its node id. */
export const SELF = 'self';

/**
 * Under which names a subject's leases are kept. A local request begins here, so its origin is `self`, whatever id
 * this node has among others: a lease lent to `self` serves nobody who comes over the mesh.
 */
export function leaseQueryOf(subject: Subject): LeaseQuery {
  const peer = foldId(subject.from);
  return { peer, origin: peer === SELF ? SELF : foldId(subject.origin), session: subject.session };
}
