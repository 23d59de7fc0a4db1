import { formatDuration, quote } from '@writ/core';
import { widerProfile } from './diff-profile.ts';
import type { Config } from './types.ts';
import { widerUpstream } from './upstream.ts';

/** What `after` gives everybody beyond `before`, each as a phrase. */
export function widerNode(before: Config, after: Config): readonly string[] {
  const whats: string[] = [];
  if (after.node.maxChain > before.node.maxChain) whats.push(`takes chains of ${after.node.maxChain} nodes`);
  if (after.leases.maxMs > before.leases.maxMs) whats.push(`lends leases for ${formatDuration(after.leases.maxMs)}`);
  if (before.approvals.mode === 'passphrase' && after.approvals.mode === 'terminal') {
    whats.push('whoever has a terminal and the host secret is the approver');
  }
  if (after.approvals.maxPending > before.approvals.maxPending) {
    whats.push(`a peer may cause ${after.approvals.maxPending} open questions`);
  }
  if (widerDefault(before, after)) whats.push(`requests that name no profile get ${after.node.defaultProfile}`);
  const { traces } = after.telemetry;
  if (traces !== undefined && traces !== before.telemetry.traces) whats.push(`sends traces to ${quote(traces)}`);
  return [...whats, ...looserCommands(before, after), ...newUpstreams(before, after)];
}

function widerDefault(before: Config, after: Config): boolean {
  const is = after.profiles.get(after.node.defaultProfile ?? '');
  if (!is || after.node.defaultProfile === before.node.defaultProfile) return false;
  const was = before.profiles.get(before.node.defaultProfile ?? '');
  return !was || widerProfile(before, was, after, is).length > 0;
}

/** The strictest rule wins, so that one rule less gives more, and one more does not. */
function looserCommands(before: Config, after: Config): readonly string[] {
  const kept = new Set(after.commands.map((rule) => JSON.stringify(rule)));
  return before.commands
    .filter((rule) => !kept.has(JSON.stringify(rule)))
    .map((rule) => `the rule for ${rule.match.join(' ')} is gone`);
}

function newUpstreams(before: Config, after: Config): readonly string[] {
  return [...after.upstreams.values()]
    .filter((upstream) => widerUpstream(before.upstreams.get(upstream.name), upstream))
    .map(({ name }) => `offers the tools of ${name}`);
}
