import type { Decision } from '@writ/policy';
import { decideNow } from '../deciding.ts';
import { NO_USAGE, permitStart } from '../start.ts';
import type { AuthorityOptions } from '../types.ts';
import { type CommandBasis, readBasis } from './basis.ts';
import type { CommandRights, RightEnd, Rights, RightsQuery } from './types.ts';

/**
 * Rights of commands. Those that a task's own agent asks for are the task's, which `ofTasks` knows; every other one is
 * decided here, from policy and leases of this moment.
 */
export function createCommandRights(options: AuthorityOptions, ofTasks: CommandRights): CommandRights {
  const giveBack: CommandRights['giveBack'] = (tx, leaseId) => {
    options.leases.returnUse(tx, leaseId);
    tx.audit({ kind: 'lease', action: 'lease.use-returned', actor: 'node', subject: leaseId });
  };
  return {
    look(tx, query) {
      if (query.task !== undefined) return ofTasks.look(tx, query);
      const basis = basisOf(query);
      if (basis === undefined) return UNREADABLE;
      return rightsOf(decideNow(options, tx, { ...basis, usage: NO_USAGE }).decision, query);
    },
    claim(tx, query) {
      if (query.task !== undefined) return ofTasks.claim(tx, query);
      const basis = basisOf(query);
      if (basis === undefined) return UNREADABLE;
      const { writExpiresAtMs } = basis;
      const bounds = writExpiresAtMs === undefined ? {} : { writExpiresAtMs };
      const permit = permitStart(options, tx, { ...basis, bounds });
      if (!permit.permitted) {
        const { code, message, decision } = permit;
        return { granted: false, refusal: { code, message, nextSteps: decision.nextSteps } };
      }
      const rights = rightsOf(permit.decision, query);
      if (!rights.granted) {
        // Whoever is refused has used nothing.
        if (permit.lease !== undefined) giveBack(tx, permit.lease.id);
        return rights;
      }
      const lease = permit.lease === undefined ? {} : { leaseId: permit.lease.id };
      const ends = endOf(permit.lease?.expiresAtMs, writExpiresAtMs);
      const deadlineMs = Math.min(permit.deadlineMs, ends?.atMs ?? permit.deadlineMs);
      return { ...rights, ...lease, deadlineMs, ...(ends === undefined ? {} : { ends }) };
    },
    giveBack,
  };
}

/** The first end of what it rests on. */
function endOf(leaseMs = Number.POSITIVE_INFINITY, writMs = Number.POSITIVE_INFINITY): RightEnd | undefined {
  const atMs = Math.min(leaseMs, writMs);
  if (atMs === Number.POSITIVE_INFINITY) return undefined;
  return { code: leaseMs <= writMs ? 'LEASE_EXPIRED' : 'WRIT_EXPIRED', atMs };
}

const UNREADABLE: Rights = {
  granted: false,
  refusal: { code: 'POLICY_ERROR', message: 'what it was asked under cannot be read', nextSteps: ['ask anew'] },
};

/** The stored basis, if it is the asker's own. */
function basisOf({ origin, session, requestedBy, basis }: RightsQuery): CommandBasis | undefined {
  const read = readBasis(basis);
  const { subject } = read ?? {};
  const isOwn = subject?.origin === origin && subject.session === session && subject.from === requestedBy;
  return isOwn ? read : undefined;
}

function rightsOf(decision: Decision, { profile }: RightsQuery): Rights {
  const { effect, grant, effectiveProfile, effectiveRunner, code, message, nextSteps } = decision;
  if (effect !== 'allow' || !grant || effectiveProfile === undefined || effectiveRunner === undefined) {
    return { granted: false, refusal: { code: code === 'OK' ? 'POLICY_ERROR' : code, message, nextSteps } };
  }
  // INVARIANT: 5 the profile is part of what was approved; one that is cut down now is another one.
  if (effectiveProfile !== profile) {
    const changed = `the profile is ${effectiveProfile} now, not ${profile}`;
    return { granted: false, refusal: { code: 'CHANGED_SINCE_APPROVAL', message: changed, nextSteps: ['ask anew'] } };
  }
  const { closure, network, isolation } = grant;
  return { granted: true, profile: effectiveProfile, runner: effectiveRunner, network, isolation, closure };
}
