import { formatDuration, formatSize } from '@writ/core';
import { argumentList } from './argument-list.ts';
import { describeNetwork, networkWithin } from './network.ts';
import type { Config, Profile, RunnerConfig } from './types.ts';

/** What `wide` may do that `narrow` may not, each as a phrase; empty where it is within it in every respect. */
export function widerProfile(before: Config, narrow: Profile, after: Config, wide: Profile): readonly string[] {
  return [
    ...widerBounds(narrow, wide),
    ...droppedFlags(narrow, wide),
    ...longerLists(narrow, wide),
    ...otherRunner(before, narrow, after, wide),
  ];
}

function widerBounds(narrow: Profile, wide: Profile): readonly string[] {
  const whats: string[] = [];
  const more = wide.closure.filter((member) => !narrow.closure.includes(member));
  if (more.length > 0) whats.push(`holds ${more.join(', ')}`);
  if (wide.rank > narrow.rank) whats.push(`has rank ${wide.rank}`);
  if (!networkWithin(wide.network, narrow.network)) whats.push(`reaches the network ${describeNetwork(wide.network)}`);
  if (wide.timeoutMs > narrow.timeoutMs) whats.push(`may run for ${formatDuration(wide.timeoutMs)}`);
  if (wide.maxOutputBytes > narrow.maxOutputBytes) whats.push(`keeps ${formatSize(wide.maxOutputBytes)} of output`);
  return whats;
}

function droppedFlags(narrow: Profile, wide: Profile): readonly string[] {
  const whats: string[] = [];
  if (narrow.requireLease && !wide.requireLease) whats.push('needs no lease');
  if (narrow.requireApproval && !wide.requireApproval) whats.push('needs no approval');
  if (narrow.requireExplicit && !wide.requireExplicit) whats.push('need not be asked for by name');
  if (narrow.isolation === 'required' && wide.isolation === 'none') whats.push('runs without isolation');
  if (narrow.onOverflow === 'fail' && wide.onOverflow === 'truncate')
    whats.push('completes although its output is cut');
  if (narrow.retry === 'never' && wide.retry === 'safe') whats.push('may be attempted again');
  if (narrow.onPartition === 'cancel' && wide.onPartition === 'continue') whats.push('goes on when its origin is gone');
  return whats;
}

function longerLists(narrow: Profile, wide: Profile): readonly string[] {
  const commands = new Set(narrow.commands.map((pattern) => JSON.stringify(pattern)));
  return [
    ...wide.commands
      .filter((pattern) => !commands.has(JSON.stringify(pattern)))
      .map((pattern) => `may run ${argumentList(pattern)}`),
    ...more(narrow.readPaths, wide.readPaths).map((path) => `may read ${path}`),
    ...more(narrow.env, wide.env).map((name) => `sees the variable ${name}`),
    ...more(narrow.secrets, wide.secrets).map((name) => `has the secret ${name}`),
    ...more(narrow.artifacts, wide.artifacts).map((pattern) => `keeps artifacts ${pattern}`),
    ...moreWorkspaces(narrow.workspaces, wide.workspaces),
  ];
}

function more(narrow: readonly string[], wide: readonly string[]): readonly string[] {
  return wide.filter((one) => !narrow.includes(one));
}

function moreWorkspaces(narrow: readonly string[] | undefined, wide: readonly string[] | undefined): readonly string[] {
  if (narrow === undefined) return [];
  if (wide === undefined) return ['may use every workspace of the peer'];
  return more(narrow, wide).map((name) => `may use workspace ${name}`);
}

/** Nothing can be said about which of two runners does more, so that another one always counts. */
function otherRunner(before: Config, narrow: Profile, after: Config, wide: Profile): readonly string[] {
  const was = before.runners.get(narrow.runner);
  const is = after.runners.get(wide.runner);
  if (!is || (was && sameRunner(was, is))) return [];
  const started = is.argv.length > 0 ? `: ${argumentList(is.argv)}` : '';
  return [`runs on ${is.name} (${is.kind}${started})`];
}

/** Same driver, same template; the name is only a name. */
function sameRunner(a: RunnerConfig, b: RunnerConfig): boolean {
  return a.kind === b.kind && JSON.stringify(a.argv) === JSON.stringify(b.argv);
}
