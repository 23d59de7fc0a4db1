import type { RequestLeaseRequest, RequestLeaseResponse } from '@writ/wire';
import { leaseAnswerToWire, leaseRequestFromWire } from '../convert/lease-request.ts';
import type { UnaryHandler } from '../server/adapt-handler.ts';
import { callingPeer, type HandlerDeps } from './handler-deps.ts';

/**
 * Asks a person of this node for a lease, in a session of the caller's own: what stands behind the caller is served by
 * nothing that it asks for itself.
 */
export function createRequestLease({
  requestLease,
}: Pick<HandlerDeps, 'requestLease'>): UnaryHandler<RequestLeaseRequest, RequestLeaseResponse> {
  return async (context, request) => {
    const answer = requestLease({ ...leaseRequestFromWire(request), from: callingPeer(context) });
    if (!answer.asked) context.chargeRefusal?.();
    return leaseAnswerToWire(answer);
  };
}
