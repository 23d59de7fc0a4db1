import type { Gate } from '@writ/authority';
import { createLeaseRequests, type LeaseRequest, type ShownAsker } from '@writ/authority';
import type { LeaseAnswer } from '@writ/delegation';
import { identityWords } from '@writ/identity';
import { decisionForPeer } from '@writ/policy';
import type { Foundations } from './foundations.ts';
import type { NodeGateParts } from './gate.ts';

/** How a person of this node is shown who asks: the label that this node gave it, and the words of its identity. */
export function createShowAsker({ engine, identity }: Foundations): (from: string) => ShownAsker {
  return (from) => {
    if (from === 'self') return { label: 'this node', words: identityWords(identity.public.id) };
    const peer = [...engine.snapshot().config.peers.values()].find(({ id }) => id === from);
    return { label: peer?.label ?? from, words: identityWords(from) };
  };
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
    const { code, message, nextSteps, generation, effect } = decisionForPeer({ ...outcome.decision, trace: [] });
    return {
      asked: false,
      decision: { effect: effect === 'ask' ? 'ask' : 'deny', code, message, nextSteps, generation },
    };
  };
}
