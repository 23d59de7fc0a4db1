import { WritError } from '@writ/core';
import type { LeaseAnswer, OutgoingLeaseRequest } from '../types.ts';
import { findPeer } from './delegating.ts';
import type { OriginParts } from './parts.ts';

/** Asks whoever would lend; the session is stored here first, so that its end is known here. */
export async function requestLease(parts: OriginParts, { to, ...request }: OutgoingLeaseRequest): Promise<LeaseAnswer> {
  if (parts.closing()) throw new WritError('SHUTTING_DOWN', 'this node is shutting down');
  const peer = findPeer(parts, to);
  parts.database.withWriteTx((tx) => parts.recordSession(tx, { id: request.session, agent: request.agent }));
  return parts.directory.client(peer.id).requestLease(request);
}
