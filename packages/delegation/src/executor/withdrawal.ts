import type { Authority, Lease } from '@writ/authority';
import type { Decision, LeaseFact, PolicyEngine } from '@writ/policy';
import type { LiveTask, Permit } from './live-task.ts';

/** Why a task may not go on; `lease` is the one that was just revoked, where that is the reason for asking. */
export interface Withdrawal {
  readonly code: 'LEASE_REVOKED' | 'TRUST_REVOKED';
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

  /** The decision that the running task would get now, with the lease that it claimed and no limit counted twice. */
  function decideRunning(live: LiveTask, permit: Permit): Decision {
    return engine.decide({
      ...live.ask,
      from: live.subject.from,
      leases: permit.lease ? [factOf(permit.lease)] : [],
      usage: { concurrent: 0, lastHour: 0 },
    });
  }

  function queued(live: LiveTask): Withdrawal | undefined {
    const decision = authority.previewStart(live.subject, live.ask);
    return decision.effect === 'allow' ? undefined : noLongerAllowed(decision);
  }

  return {
    // INVARIANT: 2 what runs or waits lies within what the new snapshot grants.
    afterPolicyChange(live) {
      const { permit } = live;
      if (!permit) return queued(live);
      const decision = decideRunning(live, permit);
      return decision.effect === 'allow' && covers(decision, permit) ? undefined : noLongerAllowed(decision);
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
function covers(decision: Decision, permit: Permit): boolean {
  const { grant } = decision;
  if (!grant || decision.effectiveRunner !== permit.granted.effectiveRunner) return false;
  if (grant.isolation === 'required' && permit.granted.isolation === 'none') return false;
  return permit.closure.every((capability) => grant.closure.includes(capability));
}

function noLongerAllowed(decision: Decision): Withdrawal {
  const why = decision.effect === 'allow' ? 'less is granted now' : `${decision.code}: ${decision.message}`;
  return { code: 'TRUST_REVOKED', message: `policy generation ${decision.generation} no longer allows it: ${why}` };
}

function factOf(lease: Lease): LeaseFact {
  const { id, profile, closure, workspaces, expiresAtMs } = lease;
  return { id, profile, closure, workspaces, expiresAtMs };
}
