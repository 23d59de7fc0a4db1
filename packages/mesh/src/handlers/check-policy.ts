import { decisionForPeer } from '@writ/policy';
import type { CheckPolicyRequest, CheckPolicyResponse } from '@writ/wire';
import { decisionToWire } from '../convert/decision.ts';
import { given, readName } from '../convert/fields.ts';
import type { UnaryHandler } from '../server/adapt-handler.ts';
import { callingPeer, type HandlerDeps } from './handler-deps.ts';

/** Would the caller's own request be allowed. Counted like one, so that asking is no way around a limit. */
export function createCheckPolicy({
  checkPolicy,
}: Pick<HandlerDeps, 'checkPolicy'>): UnaryHandler<CheckPolicyRequest, CheckPolicyResponse> {
  return async (context, request) => {
    const from = callingPeer(context);
    // No session: a lease that is bound to one does not answer for the peer as a whole.
    const subject = { from, origin: from, session: '' };
    const decision = await checkPolicy(subject, {
      chain: [from],
      ...given('profile', readName('profile', request.profile)),
      ...given('runner', readName('runner', request.runner)),
      ...given('workspace', readName('workspace', request.workspace)),
    });
    return { decision: decisionToWire(decisionForPeer(decision)) };
  };
}
