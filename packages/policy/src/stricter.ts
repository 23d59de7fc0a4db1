import type { DecisionCode } from '@writ/core';
import { profileWithin } from './ceilings.ts';
import { meetClosures } from './meet.ts';
import { meetNetworks } from './network.ts';
import type { Config, Decision, Grant, Profile } from './types.ts';

const HOW_TO_ACCEPT = 'a change of the policy waits for a person: writ policy diff, then writ policy reload --accept';

/**
 * The stricter of two answers to one request while a change is parked: deny before ask before allow, and the grants
 * met. `met` is what both configurations give.
 */
export function stricterDecision(accepted: Decision, current: Decision, met: Config): Decision {
  if (current.effect === 'deny') return current;
  if (accepted.effect === 'deny') return { ...accepted, nextSteps: [...accepted.nextSteps, HOW_TO_ACCEPT] };
  const effective = lowerProfile(accepted, current, met);
  const stricter = accepted.effect === 'ask' ? accepted : current;
  const refuse = (code: DecisionCode, message: string): Decision => {
    const { grant: _grant, leaseId: _lease, ...rest } = stricter;
    return { ...rest, effect: 'deny', code, message, nextSteps: [HOW_TO_ACCEPT], trace: stricter.trace };
  };
  if (!effective)
    return refuse('PROFILE_NOT_ALLOWED', 'the accepted policy and the changed one lead to different profiles');
  if (!met.runners.has(effective.runner)) {
    return refuse('RUNNER_NOT_ALLOWED', 'the accepted policy and the changed one have different runners');
  }
  const ofEffective = accepted.effectiveProfile === effective.name ? accepted : current;
  const leaseId =
    ofEffective.leaseId ?? (accepted.effectiveProfile === current.effectiveProfile ? current.leaseId : undefined);
  const { leaseId: _lease, ...rest } = stricter;
  return {
    ...rest,
    effectiveProfile: effective.name,
    effectiveRunner: effective.runner,
    ...(accepted.grant && current.grant ? { grant: meetGrants(accepted.grant, current.grant, effective) } : {}),
    ...(leaseId === undefined ? {} : { leaseId }),
    trace: stricter.trace,
  };
}

/** The one of the two effective profiles that lies within the other, as both configurations have it. */
function lowerProfile(accepted: Decision, current: Decision, met: Config): Profile | undefined {
  const a = met.profiles.get(accepted.effectiveProfile ?? '');
  const b = met.profiles.get(current.effectiveProfile ?? '');
  if (!a || !b) return undefined;
  if (profileWithin(b, a)) return b;
  return profileWithin(a, b) ? a : undefined;
}

function meetGrants(a: Grant, b: Grant, effective: Profile): Grant {
  return {
    closure: meetClosures(meetClosures(a.closure, b.closure), effective.closure),
    rank: Math.min(a.rank, b.rank, effective.rank),
    network: meetNetworks(meetNetworks(a.network, b.network), effective.network),
    timeoutMs: Math.min(a.timeoutMs, b.timeoutMs, effective.timeoutMs),
    maxOutputBytes: Math.min(a.maxOutputBytes, b.maxOutputBytes, effective.maxOutputBytes),
    isolation: a.isolation === 'none' ? b.isolation : 'required',
    depth: Math.min(a.depth, b.depth),
  };
}
