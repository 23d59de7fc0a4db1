import type { Lease } from '@writ/authority';
import type { Decision, LeaseFact, PolicyEngine } from '@writ/policy';
import type { LiveTask, Permit } from './live-task.ts';

/** The decision that a running task would get now, with the lease that it claimed, the yes that it used, and no limit counted twice. */
export function decideRunning(engine: PolicyEngine, live: LiveTask, permit: Permit): Decision {
  return engine.decide({
    ...live.ask,
    from: live.subject.from,
    leases: permit.lease ? [factOf(permit.lease)] : [],
    usage: { concurrent: 0, lastHour: 0 },
    approved: live.approved,
  });
}

function factOf(lease: Lease): LeaseFact {
  const { id, profile, closure, workspaces, expiresAtMs } = lease;
  return { id, profile, closure, workspaces, expiresAtMs };
}
