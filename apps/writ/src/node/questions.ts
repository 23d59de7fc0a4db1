import type { KindRules } from '@writ/authority';
import type { PersonDesk } from '@writ/gateway';
import type { PeerConsent } from '@writ/pairing';
import type { Foundations } from './foundations.ts';
import { createNodeGate, type NodeGate, type NodeGateParts } from './gate.ts';
import { createPeerConsent } from './peer-consent.ts';
import { createDesk } from './person-desk.ts';
import { createPolicyConsent, type PolicyConsent } from './policy-consent.ts';

/** The gate of a node, and everything that puts questions to its persons. */
export interface NodeQuestions extends NodeGate {
  /** What a person at this node does. */
  readonly person: PersonDesk;
  /** Who is asked before a peer is stored. */
  readonly peerConsent: PeerConsent;
  /** Bound to the configuration file once that is there. */
  readonly policyConsent: Pick<PolicyConsent, 'bind'>;
}

/** Builds the gate together with what asks through it: each needs the other. */
export function createQuestions(
  base: Foundations,
  { taskKind, ...parts }: Omit<NodeGateParts, 'kinds'> & { readonly taskKind: KindRules },
): NodeQuestions {
  const policyConsent = createPolicyConsent(base);
  const peerConsent = createPeerConsent(base);
  const kinds = { task: taskKind, policy: policyConsent.rules, peer: peerConsent.rules };
  const made = createNodeGate(base, { ...parts, kinds });
  const { options } = parts;
  const { desk, ask } = createDesk(base, { options, gate: made.gate, policy: policyConsent });
  peerConsent.bind(made.gate, ask);
  return { ...made, person: desk, peerConsent, policyConsent };
}
