import type { LeaseRequest } from '@writ/authority';
import type { LeaseAnswer } from '@writ/delegation';
import type * as wire from '@writ/wire';
import { decisionToWire, refusalFromWire } from './decision.ts';
import { approvalState } from './enums.ts';
import { given, readCount, readDuration, readId, readName, readNames, readTime, refuseField } from './fields.ts';

/** Most workspaces of one request. */
const MAX_WORKSPACES = 64;

/** A wish for a lease, for the wire. */
export function leaseRequestToWire(request: Omit<LeaseRequest, 'from'>): wire.Init<wire.RequestLeaseRequest> {
  const { key, session, agent, profile, durationMs, workspaces, maxUses, onlyThisSession, reason } = request;
  return {
    ...{ key, session, agent, profile, durationMs, onlyThisSession },
    ...given('maxUses', maxUses),
    ...given('reason', reason),
    workspaces: [...(workspaces ?? [])],
  };
}

/** The same as a peer sent it; whose session it is, the connection says. Throws BAD_REQUEST. */
export function leaseRequestFromWire(message: wire.RequestLeaseRequest): Omit<LeaseRequest, 'from'> {
  const workspaces = readNames('workspaces', message.workspaces, MAX_WORKSPACES);
  return {
    key: readId('key', message.key),
    session: readId('session', message.session),
    agent: readId('agent', message.agent),
    profile: readName('profile', message.profile) ?? refuseField('profile', 'is missing'),
    durationMs: readDuration('duration_ms', message.durationMs),
    onlyThisSession: message.onlyThisSession,
    ...given('maxUses', readCount('max_uses', message.maxUses)),
    ...(workspaces.length === 0 ? {} : { workspaces }),
    // As it was typed: whoever shows it to a person writes out what could play tricks.
    ...(message.reason === '' ? {} : { reason: message.reason }),
  };
}

/** What became of a wish, for the wire. */
export function leaseAnswerToWire(answer: LeaseAnswer): wire.Init<wire.RequestLeaseResponse> {
  if (!answer.asked) return { decision: decisionToWire(answer.decision) };
  const { approval, state, answerByMs } = answer;
  return { question: { approval, state: approvalState.toWire(state), answerByMs } };
}

/** The same as a peer says it. Throws BAD_REQUEST. */
export function leaseAnswerFromWire({ question, decision }: wire.RequestLeaseResponse): LeaseAnswer {
  if (!question) return { asked: false, decision: refusalFromWire(decision) };
  return {
    asked: true,
    approval: readId('question.approval', question.approval),
    state: approvalState.fromWire('question.state', question.state),
    answerByMs: readTime('question.answer_by_ms', question.answerByMs),
  };
}
