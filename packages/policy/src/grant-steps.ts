import { foldName, formatDuration, quote } from '@writ/core';
import { maskOf, maskWithin, membersOf, SUBDELEGATE_MASK, WORKSPACE_MASK } from './capabilities.ts';
import { joinPath } from './source.ts';
import { ask, type Deciding, deny, type Finding, known, pass, skip } from './step.ts';
import type { LeaseFact } from './types.ts';

/** INVARIANT: 1 a task is within its parent's grant, and only a grant that may be handed on has children. */
export function checkGrants(deciding: Deciding): Finding {
  const { index, request } = deciding;
  const effective = known(deciding.effective);
  const grants = request.grants;
  if (!grants || grants.length === 0) return skip('no grant bounds the request');
  const mask = index.masks.get(effective.name) ?? 0;
  for (const [hop, grant] of grants.entries()) {
    const granted = maskOf(grant);
    if (hop < grants.length - 1 && !maskWithin(SUBDELEGATE_MASK, granted)) {
      const next = 'have the first task run under a profile that holds `subdelegate`';
      return deny('GRANT_EXCEEDED', `the grant of hop ${hop + 1} may not be handed on`, [next]);
    }
    if (!maskWithin(mask, granted)) {
      const message = `${quote(effective.name)} needs ${membersOf(mask & ~granted).join(', ')}, which the grant of hop ${hop + 1} lacks`;
      return deny('GRANT_EXCEEDED', message, ['ask for a profile within the grant']);
    }
  }
  return pass(() => `within ${grants.length === 1 ? 'the grant' : `all ${grants.length} grants`}`);
}

/** The workspace is one that the sender, both profiles and the grant have; needed where the closure acts on one. */
export function checkWorkspace(deciding: Deciding): Finding {
  const { index, request } = deciding;
  const subject = known(deciding.subject);
  const effective = known(deciding.effective);
  const bounds = [effective.workspaces, known(deciding.requested).workspaces, request.grantWorkspaces];
  const usable = (name: string): boolean =>
    subject.workspaces.has(name) &&
    index.config.workspaces.has(name) &&
    bounds.every((bound) => bound === undefined || bound.includes(name));
  const path = () => joinPath(subject.path, 'workspaces');
  const next = (): readonly string[] => {
    const names = subject.rules.workspaces.filter(usable);
    return [
      names.length > 0 ? `name one of: ${names.slice(0, 20).join(', ')}` : `name workspaces in ${path()} on that node`,
    ];
  };
  if (request.workspace === undefined) {
    const needs = membersOf((index.masks.get(effective.name) ?? 0) & WORKSPACE_MASK);
    if (needs.length === 0) return skip('none is named, and none is needed');
    const message = `no workspace is named, and ${quote(effective.name)} needs one for ${needs.join(', ')}`;
    return deny('WORKSPACE_NOT_ALLOWED', message, next(), path);
  }
  const name = foldName(request.workspace);
  if (name === undefined || !usable(name)) {
    const message = `${quote(subject.label)} may not use workspace ${quote(request.workspace)} here`;
    return deny('WORKSPACE_NOT_ALLOWED', message, next(), path);
  }
  return pass(() => `${quote(name)} may be used`, path);
}

/** A high-risk profile runs on a live lease only. A lease stands for nothing but itself. */
export function checkLease(deciding: Deciding): Finding {
  const { index, request } = deciding;
  const subject = known(deciding.subject);
  const effective = known(deciding.effective);
  const path = () => joinPath(joinPath('profiles', effective.name), 'require_lease');
  if (!effective.requireLease) return skip(`${quote(effective.name)} needs no lease`);
  if (deciding.assumeLease) return pass(() => 'a lease is assumed', path);
  const mask = index.masks.get(effective.name) ?? 0;
  const lease = request.leases.find((fact) => leaseCovers(fact, effective.name, mask, request.workspace));
  if (lease) {
    deciding.lease = lease;
    return pass(() => `lease ${quote(lease.id)} covers it`, path);
  }
  const message = `${quote(effective.name)} needs a lease, and no live one covers the request`;
  const grant = `writ lease grant ${subject.label} ${effective.name} --for ${formatDuration(Math.min(3_600_000, index.config.leases.maxMs))}`;
  const next = [`a person on ${quote(index.config.node.name)} lends one: ${grant}`];
  return (subject.rules.mayRequestLease ? ask : deny)('LEASE_REQUIRED', message, next, path);
}

function leaseCovers(lease: LeaseFact, profile: string, mask: number, workspace: string | undefined): boolean {
  if (lease.profile !== profile || !maskWithin(mask, maskOf(lease.closure))) return false;
  const named = workspace === undefined ? undefined : foldName(workspace);
  return lease.workspaces.length === 0 || (named !== undefined && lease.workspaces.includes(named));
}

/** How much runs already and how often the sender has asked in the last hour. */
export function checkLimits(deciding: Deciding): Finding {
  const { request } = deciding;
  const subject = known(deciding.subject);
  const { maxConcurrent, tasksPerHour } = subject.rules.limits;
  const limits = joinPath(subject.path, 'limits');
  if (maxConcurrent !== undefined && request.usage.concurrent >= maxConcurrent) {
    const message = `${quote(subject.label)} has ${request.usage.concurrent} tasks here, ${maxConcurrent} at most`;
    return deny('LIMIT_EXCEEDED', message, ['wait until one of them has ended'], () =>
      joinPath(limits, 'max_concurrent'),
    );
  }
  if (tasksPerHour !== undefined && request.usage.lastHour >= tasksPerHour) {
    const message = `${quote(subject.label)} has asked ${request.usage.lastHour} times in the last hour, ${tasksPerHour} at most`;
    return deny('LIMIT_EXCEEDED', message, ['try again within the hour'], () => joinPath(limits, 'tasks_per_hour'));
  }
  if (maxConcurrent === undefined && tasksPerHour === undefined) return skip('there are no limits');
  return pass(
    () => `${request.usage.concurrent} running, ${request.usage.lastHour} in the last hour`,
    () => limits,
  );
}

/** A profile that a person is asked about each time. */
export function checkApproval(deciding: Deciding): Finding {
  const { index } = deciding;
  const effective = known(deciding.effective);
  if (!effective.requireApproval) return skip(`${quote(effective.name)} needs no approval`);
  const next = [`a person on ${quote(index.config.node.name)} answers: writ approval list`];
  const path = () => joinPath(joinPath('profiles', effective.name), 'require_approval');
  return ask('APPROVAL_REQUIRED', `${quote(effective.name)} is approved by a person each time`, next, path);
}
