import {
  type AuthorityOptions,
  createLeaseRequests,
  createTaskQuestions,
  type Gate,
  type LeaseRequest,
  type ShownAsker,
  type TaskQuestionOptions,
  type TaskQuestions,
} from '@writ/authority';
import type { LeaseAnswer } from '@writ/delegation';
import { identityWords } from '@writ/identity';
import { decisionForPeer } from '@writ/policy';
import type { Foundations } from './foundations.ts';
import type { NodeGateParts } from './gate.ts';

/** How a person of this node is shown who asks: the label that this node gave it, and the words of its identity. */
function createShowAsker({ engine, identity }: Foundations): (from: string) => ShownAsker {
  return (from) => {
    if (from === 'self') return { label: 'this node', words: identityWords(identity.public.id) };
    const peer = [...engine.snapshot().config.peers.values()].find(({ id }) => id === from);
    return { label: peer?.label ?? from, words: identityWords(from) };
  };
}

/** Questions about tasks that wait; `approvals` are of the gate, which is built after the executor. */
export function createNodeQuestions(
  base: Foundations,
  options: AuthorityOptions,
  approvals: TaskQuestionOptions['approvals'],
): TaskQuestions {
  const { stores, identity } = base;
  return createTaskQuestions({
    ...{ options, approvals, store: stores.approvals, approvers: stores.approvers, sessions: stores.sessions },
    ...{ self: identity.public.id, showAsker: createShowAsker(base) },
  });
}

/** Asks a person of this node for a lease, for a peer or for this machine's own agent. */
export function createLeaseDesk(
  base: Foundations,
  { options, authority }: Pick<NodeGateParts, 'options' | 'authority'>,
  gate: Pick<Gate, 'approvals'>,
): (request: LeaseRequest) => LeaseAnswer {
  const requests = createLeaseRequests({
    options,
    authority,
    approvals: gate.approvals,
    sessions: base.stores.sessions,
    self: base.identity.public.id,
    showAsker: createShowAsker(base),
  });
  return (request) => {
    const outcome = requests.request(request);
    if (outcome.asked) {
      const { id: approval, state, expiresAtMs: answerByMs } = outcome.approval;
      return { asked: true, approval, state, answerByMs };
    }
    const decided = { ...outcome.decision, trace: [] };
    const { code, message, nextSteps, generation, effect } =
      request.from === 'self' ? decided : decisionForPeer(decided);
    return {
      asked: false,
      decision: { effect: effect === 'ask' ? 'ask' : 'deny', code, message, nextSteps, generation },
    };
  };
}
