import type { LeaseRequest } from '@writ/authority';
import type { CommandDesk } from '@writ/commands';
import { type Clock, type WritCode, WritError } from '@writ/core';
import type { Executor, LeaseAnswer, Subject } from '@writ/delegation';
import type { NodeIdentity, PinStore } from '@writ/identity';
import type { Pairing } from '@writ/pairing';
import type { Decision, DecisionRequest, PolicyEngine } from '@writ/policy';
import type { CallContext } from '../server/call-context.ts';
import type { PeerIndex } from '../server/peer-index.ts';

/** What a peer asks about in `CheckPolicy`. */
export type PolicyQuestion = Pick<DecisionRequest, 'chain' | 'profile' | 'runner' | 'workspace'>;

/** What the handlers of the mesh service stand on. */
export interface HandlerDeps {
  readonly identity: NodeIdentity;
  readonly pins: PinStore;
  readonly engine: Pick<PolicyEngine, 'snapshot'>;
  readonly executor: Executor;
  readonly commands: CommandDesk;
  readonly pairing: Pick<Pairing, 'serve'>;
  /** Decides and counts the question against the subject's limits; resolves once both are committed. */
  readonly checkPolicy: (subject: Subject, question: PolicyQuestion) => Promise<Decision>;
  /** Asks a person of this node, in transactions of its own; its refusals are as a peer may see them. */
  readonly requestLease: (request: LeaseRequest) => LeaseAnswer;
  /** Takes the signed word that a session has ended, in transactions of its own. Throws EVIDENCE_INVALID. */
  readonly endSession: (from: string, statement: Uint8Array) => void;
  /** Notes that a peer's chain of writs does not hold, in a transaction of its own. */
  readonly noteRefusal: (from: string, code: WritCode) => void;
  readonly peers: PeerIndex;
  readonly name: string;
  readonly version: string;
  readonly clock: Clock;
}

/** Node id of the peer that calls. */
export function callingPeer(context: CallContext): string {
  if (context.caller?.kind !== 'peer') throw new WritError('PEER_UNKNOWN', 'this node does not know your node');
  return context.caller.id;
}
