import { formatDuration } from '@writ/core';
import { argumentList } from './argument-list.ts';
import { widerProfile } from './diff-profile.ts';
import { openedAddresses } from './own-addresses.ts';
import type { CommandRule, Config } from './types.ts';
import { describeUpstream, widerUpstream } from './upstream.ts';

/** What `after` gives everybody beyond `before`, each as a phrase. */
export function widerNode(before: Config, after: Config): readonly string[] {
  const whats: string[] = [];
  if (after.node.maxChain > before.node.maxChain) whats.push(`takes chains of ${after.node.maxChain} nodes`);
  if (after.leases.maxMs > before.leases.maxMs) whats.push(`lends leases for ${formatDuration(after.leases.maxMs)}`);
  if (before.approvals.mode === 'passphrase' && after.approvals.mode === 'terminal') {
    whats.push('whoever has a terminal and the host secret is the approver');
  }
  if (after.approvals.maxPending > before.approvals.maxPending) {
    whats.push(`a peer, an agent or a session may cause ${after.approvals.maxPending} open questions`);
  }
  // Nobody is given more, but what is removed too early no later text brings back.
  if (after.storage.keepTasksMs < before.storage.keepTasksMs) {
    whats.push(
      `removes tasks ${formatDuration(after.storage.keepTasksMs)} after their end, with all that belongs to them`,
    );
  }
  if (widerDefault(before, after)) whats.push(`requests that name no profile get ${after.node.defaultProfile}`);
  return [
    ...whats,
    ...openedAddresses(before, after),
    ...looserCommands(before, after),
    ...newUpstreams(before, after),
  ];
}

function widerDefault(before: Config, after: Config): boolean {
  const is = after.profiles.get(after.node.defaultProfile ?? '');
  if (!is || after.node.defaultProfile === before.node.defaultProfile) return false;
  const was = before.profiles.get(before.node.defaultProfile ?? '');
  return !was || widerProfile(before, was, after, is).length > 0;
}

/**
 * Of several rules the strictest wins, but what no rule knows is asked about each time: one rule more may make a command
 * known, a destructive one too (a window covers what is known, and its preview says no more that nobody knows it), and one
 * less may leave it to a milder one, unless it was `read` without needs.
 */
function looserCommands(before: Config, after: Config): readonly string[] {
  const gone = before.commands.filter(
    (rule) =>
      !(rule.class === 'read' && rule.needs.length === 0) && !after.commands.some((one) => isAtLeast(one, rule)),
  );
  const come = after.commands.filter((rule) => !before.commands.some((one) => isAtLeast(rule, one)));
  return [
    ...gone.map(({ match }) => `the rule for ${argumentList(match)} is gone`),
    ...come.map((rule) => `a rule knows ${argumentList(rule.match)} as ${rule.class}${describeTerms(rule)}`),
  ];
}

function describeTerms({ needs, target }: CommandRule): string {
  const needing = needs.length === 0 ? ', which needs nothing' : `, which needs ${needs.join(', ')}`;
  return `${needing}${target === undefined ? '' : `; argument ${target} is its target`}`;
}

const CLASSES = ['read', 'config-mutation', 'destructive'] as const;

/** True where `rule` is about the same commands as `other`, as strict, and needs as much. */
function isAtLeast(rule: CommandRule, other: CommandRule): boolean {
  const isSame = JSON.stringify([rule.match, rule.target]) === JSON.stringify([other.match, other.target]);
  const isStrict = CLASSES.indexOf(rule.class) >= CLASSES.indexOf(other.class);
  return isSame && isStrict && other.needs.every((need) => rule.needs.includes(need));
}

function newUpstreams(before: Config, after: Config): readonly string[] {
  return [...after.upstreams.values()]
    .filter((upstream) => widerUpstream(before.upstreams.get(upstream.name), upstream))
    .map((upstream) => `offers the tools of ${upstream.name}: ${describeUpstream(upstream)}`);
}
