import { foldName, formatDuration, quote } from '@writ/core';
import { maskOf, maskWithin, membersOf, SUBDELEGATE_MASK, WORKSPACE_MASK } from './capabilities.ts';
import { joinPath } from './key-path.ts';
import { ask, type Deciding, deny, known, pass, type Refusal, type Step, skip } from './step.ts';
import type { LeaseFact } from './types.ts';

/** INVARIANT: 1 a task is within its parent's grant, and only a grant that may be handed on has children. */
export const grantStep: Step = {
  rule: 'grants',
  check({ index, request, effective: lowered }) {
    const effective = known(lowered);
    const mask = index.masks.get(effective.name) ?? 0;
    const grants = request.grants ?? [];
    for (let hop = 0; hop < grants.length; hop++) {
      const granted = maskOf(grants[hop] ?? []);
      if (hop < grants.length - 1 && !maskWithin(SUBDELEGATE_MASK, granted)) {
        const next = 'have the first task run under a profile that holds `subdelegate`';
        return deny('GRANT_EXCEEDED', `the grant of hop ${hop + 1} may not be handed on`, [next]);
      }
      if (!maskWithin(mask, granted)) {
        const lacking = membersOf(mask & ~granted).join(', ');
        const message = `${quote(effective.name)} needs ${lacking}, which the grant of hop ${hop + 1} lacks`;
        return deny('GRANT_EXCEEDED', message, ['ask for a profile within the grant']);
      }
    }
    return undefined;
  },
  note({ request }) {
    const count = request.grants?.length ?? 0;
    if (count === 0) return skip('no grant bounds the request');
    return pass(`within ${count === 1 ? 'the grant' : `all ${count} grants`}`);
  },
  variant: ({ request: { grants } }) => `${grants?.length ?? 0}`,
};

/** True for a workspace that the sender, both profiles and the grants have. */
function isUsable({ index, request, subject, requested, effective }: Deciding, name: string): boolean {
  return (
    known(subject).workspaces.has(name) &&
    index.config.workspaces.has(name) &&
    isBounded(known(effective).workspaces, name) &&
    isBounded(known(requested).workspaces, name) &&
    isBounded(request.grantWorkspaces, name)
  );
}

function isBounded(bound: readonly string[] | undefined, name: string): boolean {
  return bound === undefined || bound.includes(name);
}

function refuseWorkspace(deciding: Deciding, message: string): Refusal {
  const { rules, path } = known(deciding.subject);
  const names = rules.workspaces.filter((name) => isUsable(deciding, name));
  const node = quote(deciding.index.config.node.name);
  const at = joinPath(path, 'workspaces');
  const next =
    names.length > 0 ? `name one of: ${names.slice(0, 20).join(', ')}` : `on ${node}, name workspaces in ${at}`;
  return deny('WORKSPACE_NOT_ALLOWED', message, [next], at);
}

/** The workspace may be used; one has to be named where the closure acts on it. */
export const workspaceStep: Step = {
  rule: 'workspace',
  check(deciding) {
    const { index, request } = deciding;
    const { name: profile } = known(deciding.effective);
    if (request.workspace === undefined) {
      const needs = (index.masks.get(profile) ?? 0) & WORKSPACE_MASK;
      if (needs === 0) return undefined;
      const why = membersOf(needs).join(', ');
      return refuseWorkspace(deciding, `no workspace is named, and ${quote(profile)} needs one for ${why}`);
    }
    const { label, workspaces } = known(deciding.subject);
    const name = workspaces.has(request.workspace) ? request.workspace : foldName(request.workspace);
    if (name !== undefined && isUsable(deciding, name)) return undefined;
    return refuseWorkspace(deciding, `${quote(label)} may not use workspace ${quote(request.workspace)} here`);
  },
  note({ request, subject }) {
    if (request.workspace === undefined) return skip('none is named, and none is needed');
    return pass(`${quote(request.workspace)} may be used`, joinPath(known(subject).path, 'workspaces'));
  },
  variant({ request: { workspace }, subject }) {
    if (workspace === undefined) return '';
    return known(subject).workspaces.has(workspace) ? workspace : undefined;
  },
};

/** How the refusal for want of a lease ends where asking for one would be in vain. Nodes that asked read it: it is never worded otherwise. */
export const MAY_NOT_ASK = 'may not ask for one (may_request_lease)';

/** A high-risk profile runs on a live lease only. A lease stands for nothing but itself. */
export const leaseStep: Step = {
  rule: 'lease',
  check(deciding) {
    const { index, request, assumeLease } = deciding;
    const { label, rules } = known(deciding.subject);
    const { name, requireLease } = known(deciding.effective);
    if (!requireLease || assumeLease) return undefined;
    const mask = index.masks.get(name) ?? 0;
    deciding.lease = request.leases.find((fact) => leaseCovers(fact, name, mask, request.workspace));
    if (deciding.lease) return undefined;
    const shown = formatDuration(Math.min(3_600_000, index.config.leases.maxMs));
    // A lease for the sender does not serve whoever stands behind it.
    const origin = request.chain.length > 1 ? ` --origin ${request.chain[0]}` : '';
    const command = `writ lease grant ${label} ${name} --for ${shown}${origin}`;
    const next = `a person on ${quote(index.config.node.name)} lends one: ${command}`;
    const message = `${quote(name)} needs a lease, and no live one covers the request`;
    const { leasePath } = known(deciding.route);
    if (rules.mayRequestLease) return ask('LEASE_REQUIRED', message, [next], leasePath);
    // Said here, because whoever asks for one in vain would hear no more than that a lease is needed.
    const mayNot = `${message}; ${quote(label)} ${MAY_NOT_ASK}`;
    return deny('LEASE_REQUIRED', mayNot, [next], leasePath);
  },
  note({ effective, route, lease, assumeLease }) {
    const { name, requireLease } = known(effective);
    if (!requireLease) return skip(`${quote(name)} needs no lease`);
    return pass(
      assumeLease ? 'a lease is assumed' : `lease ${quote(lease?.id ?? '')} covers it`,
      known(route).leasePath,
    );
  },
  variant: ({ effective }) => (known(effective).requireLease ? undefined : ''),
};

function leaseCovers(lease: LeaseFact, profile: string, mask: number, workspace: string | undefined): boolean {
  if (lease.profile !== profile || !maskWithin(mask, maskOf(lease.closure))) return false;
  if (lease.workspaces.length === 0) return true;
  return workspace !== undefined && lease.workspaces.includes(foldName(workspace) ?? '');
}

/** How much runs already and how often the sender has asked in the last hour. */
export const limitStep: Step = {
  rule: 'limits',
  check({ request, subject }) {
    const { label, rules, path } = known(subject);
    const { maxConcurrent, tasksPerHour } = rules.limits;
    const { concurrent, lastHour } = request.usage;
    if (maxConcurrent !== undefined && concurrent >= maxConcurrent) {
      const message = `${quote(label)} has ${concurrent} tasks here, ${maxConcurrent} at most`;
      const at = joinPath(joinPath(path, 'limits'), 'max_concurrent');
      return deny('LIMIT_EXCEEDED', message, ['wait until one of them has ended'], at);
    }
    if (tasksPerHour === undefined || lastHour < tasksPerHour) return undefined;
    const message = `${quote(label)} has asked ${lastHour} times in the last hour, ${tasksPerHour} at most`;
    const at = joinPath(joinPath(path, 'limits'), 'tasks_per_hour');
    return deny('LIMIT_EXCEEDED', message, ['try again within the hour'], at);
  },
  note({ request, subject }) {
    const { rules, path } = known(subject);
    const { maxConcurrent, tasksPerHour } = rules.limits;
    if (maxConcurrent === undefined && tasksPerHour === undefined) return skip('there are no limits');
    const { concurrent, lastHour } = request.usage;
    return pass(`${concurrent} running, ${lastHour} in the last hour`, joinPath(path, 'limits'));
  },
  variant({ subject }) {
    const { maxConcurrent, tasksPerHour } = known(subject).rules.limits;
    return maxConcurrent === undefined && tasksPerHour === undefined ? '' : undefined;
  },
};

/** A profile that a person is asked about each time. */
export const approvalStep: Step = {
  rule: 'approval',
  check({ index, effective, request }) {
    const { name, requireApproval } = known(effective);
    if (!requireApproval || request.approved === true) return undefined;
    const path = joinPath(joinPath('profiles', name), 'require_approval');
    const node = quote(index.config.node.name);
    const next = `a person on ${node} answers: writ approval list`;
    return ask('APPROVAL_REQUIRED', `${quote(name)} is approved by a person each time`, [next], path);
  },
  note({ effective }) {
    const { name, requireApproval } = known(effective);
    if (!requireApproval) return skip(`${quote(name)} needs no approval`);
    return pass('a person has approved it', joinPath(joinPath('profiles', name), 'require_approval'));
  },
  variant: ({ effective }) => (known(effective).requireApproval ? undefined : ''),
};
