import { WRIT_CODES } from '@writ/core';
import type { RefusedDecision } from '@writ/delegation';
import { cutMessage, isTold } from '@writ/delegation';
import type { Decision } from '@writ/policy';
import type * as wire from '@writ/wire';
import { STATUS_OF_CODE } from '../status-table.ts';
import { effect } from './enums.ts';
import { given, readCode, readCount, readName, readText, refuseField, withItsSteps } from './fields.ts';

/** A decision of a peer, without its trace. What it says would help is part of its message: `nextSteps` are this node's own. */
export interface RemoteDecision {
  readonly effect: 'allow' | 'ask' | 'deny';
  readonly code: string;
  readonly message: string;
  readonly nextSteps: readonly string[];
  readonly requestedProfile?: string;
  readonly effectiveProfile?: string;
  readonly effectiveRunner?: string;
  readonly generation: number;
}

/** A decision as it is told; a refusal has no more than the first part. */
type ToldDecision = Pick<Decision, 'effect' | 'message' | 'nextSteps' | 'generation'> & {
  readonly code: string;
} & Partial<Omit<Decision, 'code'>>;

/** A decision for the wire; it must have been cut down for a peer already. That of a faulty policy says no more than so. */
export function decisionToWire(decision: ToldDecision): wire.Init<wire.Decision> {
  const told = decision.effect === 'allow' || isTold(decision.code);
  return {
    effect: effect.toWire(decision.effect),
    code: decision.code,
    message: told ? decision.message : cutMessage(decision.code, 'writ policy validate'),
    nextSteps: told ? decision.nextSteps : [],
    generation: decision.generation,
    ...given('requestedProfile', decision.requestedProfile),
    ...given('effectiveProfile', decision.effectiveProfile),
    ...given('effectiveRunner', decision.effectiveRunner),
    ...given('leaseId', decision.leaseId),
  };
}

/** A decision as a peer sent it. Throws BAD_REQUEST. */
export function decisionFromWire(message: wire.Decision | null | undefined): RemoteDecision {
  if (message === null || message === undefined) return refuseField('decision', 'is missing');
  return {
    effect: effect.fromWire('decision.effect', message.effect),
    code: codeFromWire(message.code),
    message: withItsSteps(readText(message.message) ?? '', message.nextSteps),
    nextSteps: [],
    generation: readCount('decision.generation', message.generation),
    ...given('requestedProfile', readName('decision.requested_profile', message.requestedProfile)),
    ...given('effectiveProfile', readName('decision.effective_profile', message.effectiveProfile)),
    ...given('effectiveRunner', readName('decision.effective_runner', message.effectiveRunner)),
  };
}

/** The code of a decision; that of a fault of its own machine is a fault of its policy here, whichever it was. */
function codeFromWire(value: string): string {
  const code = readCode('decision.code', value) ?? refuseField('decision.code', 'is missing');
  return WRIT_CODES.some((known) => known === code && STATUS_OF_CODE[known].hidden) ? 'POLICY_ERROR' : code;
}

/** A decision that refused a task. Throws BAD_REQUEST for one that allows. */
export function refusalFromWire(message: wire.Decision | null | undefined): RefusedDecision {
  const { effect: told, code, message: text, nextSteps, generation } = decisionFromWire(message);
  if (told === 'allow') return refuseField('decision.effect', 'allows, but there is no task');
  return { effect: told, code, message: text, nextSteps, generation };
}
