import { type Authority, type Lease, withdrawalCode } from '@writ/authority';
import { matchesPattern } from '@writ/core';
import { type Decision, meetNetworks, type Network, type PolicyEngine, type Profile } from '@writ/policy';
import type { RunSpec } from '../types.ts';
import type { LiveTask, Permit } from './live-task.ts';
import { decideRunning } from './running-decision.ts';

/** Why a task may not go on; `lease` is the one that was just revoked, where that is the reason for asking. */
export interface Withdrawal {
  readonly code: 'LEASE_REVOKED' | 'TRUST_REVOKED' | 'PROFILE_NOT_ALLOWED';
  readonly message: string;
}

/** Looks at live tasks again after policy or a lease changed. */
export interface WithdrawalCheck {
  /** Undefined: the task may go on. */
  afterPolicyChange(live: LiveTask): Withdrawal | undefined;
  afterLeaseRevoked(live: LiveTask, lease: Lease): Withdrawal | undefined;
}

export function createWithdrawalCheck(options: {
  readonly authority: Authority;
  readonly engine: PolicyEngine;
}): WithdrawalCheck {
  const { authority, engine } = options;

  function queued(live: LiveTask): Withdrawal | undefined {
    const decision = authority.previewStart(live.subject, live.ask, live.approved);
    return decision.effect === 'allow' ? undefined : noLongerAllowed(decision);
  }

  return {
    // INVARIANT: 2 what runs or waits lies within what the new snapshot grants.
    afterPolicyChange(live) {
      const { permit } = live;
      if (!permit) return queued(live);
      const decision = decideRunning(engine, live, permit);
      const profile = engine.snapshot().config.profiles.get(decision.effectiveProfile ?? '');
      const isCovered = decision.effect === 'allow' && profile && covers(decision, permit, profile);
      return isCovered ? undefined : noLongerAllowed(decision);
    },
    afterLeaseRevoked(live, lease) {
      const message = 'its lease was revoked';
      if (live.permit) return live.permit.lease?.id === lease.id ? { code: 'LEASE_REVOKED', message } : undefined;
      if (lease.peer !== live.subject.from) return undefined;
      return queued(live) ? { code: 'LEASE_REVOKED', message } : undefined;
    },
  };
}

/** Whether what is granted now holds everything that the attempt was started with. */
function covers(decision: Decision, permit: Permit, profile: Profile): boolean {
  const { grant } = decision;
  if (!grant || decision.effectiveRunner !== permit.granted.effectiveRunner) return false;
  if (grant.isolation === 'required' && permit.granted.isolation === 'none') return false;
  if (!permit.closure.every((capability) => grant.closure.includes(capability))) return false;
  const { spec } = permit;
  if (spec.timeoutMs > grant.timeoutMs || spec.maxOutputBytes > grant.maxOutputBytes) return false;
  if (!spec.env.every((name) => profile.env.includes(name))) return false;
  return reaches(grant.network, permit.grant.network) && mayRun(spec, profile);
}

function reaches(now: Network, before: Network): boolean {
  return JSON.stringify(meetNetworks(before, now)) === JSON.stringify(meetNetworks(before, before));
}

/** Whether what runs by a pattern of the profile still matches one; a template is the node's own. */
function mayRun({ commands, runner, input }: RunSpec, profile: Profile): boolean {
  if (commands === 'allow' || runner.kind !== 'shell' || input.kind !== 'argv') return true;
  const runsBy = (patterns: readonly (readonly string[])[]): boolean =>
    patterns.some((pattern) => matchesPattern(pattern, input.argv));
  return !runsBy(commands) || runsBy(profile.commands);
}

/** Why policy of this generation ends a task. */
export function noLongerAllowed(decision: Decision): Withdrawal {
  const why = decision.effect === 'allow' ? 'less is granted now' : `${decision.code}: ${decision.message}`;
  return {
    code: withdrawalCode(decision),
    message: `policy generation ${decision.generation} no longer allows it: ${why}`,
  };
}
