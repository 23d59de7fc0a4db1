import { WritError } from '@writ/core';
import type { LeaseAnswer, OutgoingLeaseRequest } from '../types.ts';
import { findPeer } from './delegating.ts';
import type { OriginParts } from './parts.ts';

/** Asks whoever would lend; session and peer are stored here first, so that the peer hears of the session's end. */
export async function requestLease(parts: OriginParts, { to, ...request }: OutgoingLeaseRequest): Promise<LeaseAnswer> {
  if (parts.closing()) throw new WritError('SHUTTING_DOWN', 'this node is shutting down');
  const peer = findPeer(parts, to);
  const { session, agent } = request;
  const origin = parts.evidence.identity.public.id;
  parts.database.withWriteTx((tx) => {
    parts.recordSession(tx, { id: session, agent });
    if (peer.id !== 'self') parts.sessionEnds.hold(tx, { origin, session }, peer.id);
  });
  return parts.directory.client(peer.id).requestLease(request);
}
