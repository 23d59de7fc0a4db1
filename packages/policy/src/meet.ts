import { maskOf, membersOf } from './capabilities.ts';
import { meetNetworks } from './network.ts';
import { meetAddresses } from './own-addresses.ts';
import { finish, type Sliced } from './slices.ts';
import type { CommandRule, Config, Limits, OutboundRules, PeerConfig, Profile, SubjectRules } from './types.ts';
import { meetUpstreams } from './upstream.ts';

/**
 * What two configurations both give, for those who run work while a change is parked: nothing in it is wider than in
 * either. What cannot be compared (a runner, a folder, an address) stays as `accepted` has it. Ceilings are those of `current`;
 * deciding looks at both policies, not at this one.
 */
export function meetConfigs(accepted: Config, current: Config): Config {
  return finish(intersectConfigs(accepted, current));
}

/** `meetConfigs` in slices: a rest may be taken after each peer, and after each thing that has a name. */
export function* intersectConfigs(accepted: Config, current: Config): Sliced<Config> {
  const runners = yield* common(accepted.runners, current.runners, (a) => a);
  const profiles = yield* common(accepted.profiles, current.profiles, (a, b) => meetProfiles(a, b));
  const workspaces = yield* common(accepted.workspaces, current.workspaces, (a) => a);
  const upstreams = yield* common(accepted.upstreams, current.upstreams, meetUpstreams);
  const byId = new Map<string, PeerConfig>();
  for (const peer of accepted.peers.values()) {
    byId.set(peer.id, peer);
    yield;
  }
  const peers = new Map<string, PeerConfig>();
  for (const [label, peer] of current.peers) {
    const earlier = byId.get(peer.id);
    // What has not changed is the same object where both were taken up one after the other.
    if (earlier) peers.set(label, earlier === peer ? peer : meetPeers(earlier, peer));
    yield;
  }
  const addresses = meetAddresses(accepted, current);
  return {
    ...current,
    ...addresses,
    node: { ...addresses.node, maxChain: Math.min(accepted.node.maxChain, current.node.maxChain) },
    storage: {
      ...current.storage,
      keepTasksMs: Math.max(accepted.storage.keepTasksMs, current.storage.keepTasksMs),
    },
    leases: { maxMs: Math.min(accepted.leases.maxMs, current.leases.maxMs) },
    approvals: {
      mode: accepted.approvals.mode === 'terminal' ? current.approvals.mode : 'passphrase',
      fallback: 'deny',
      maxPending: Math.min(accepted.approvals.maxPending, current.approvals.maxPending),
    },
    profiles,
    runners,
    workspaces,
    peers,
    origins: new Map([...current.origins].filter(([label, id]) => accepted.origins.get(label) === id)),
    self: meetSubjects(accepted.self, current.self),
    commands: meetCommands(accepted.commands, current.commands),
    upstreams,
  };
}

function* common<T>(
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  meet: (a: T, b: T) => T,
): Sliced<ReadonlyMap<string, T>> {
  const met = new Map<string, T>();
  for (const [name, theirs] of b) {
    const ours = a.get(name);
    if (ours !== undefined) met.set(name, meet(ours, theirs));
    yield;
  }
  return met;
}

function both<T>(a: readonly T[], b: readonly T[]): readonly T[] {
  const keys = new Set(b.map((one) => JSON.stringify(one)));
  return a.filter((one) => keys.has(JSON.stringify(one)));
}

/** Members of both closures. */
export function meetClosures(a: readonly string[], b: readonly string[]): readonly string[] {
  return membersOf(maskOf(a) & maskOf(b));
}

function meetProfiles(accepted: Profile, current: Profile): Profile {
  const workspaces =
    accepted.workspaces && current.workspaces
      ? both(accepted.workspaces, current.workspaces)
      : (accepted.workspaces ?? current.workspaces);
  return {
    name: current.name,
    capabilities: both(accepted.capabilities, current.capabilities),
    closure: meetClosures(accepted.closure, current.closure),
    rank: Math.min(accepted.rank, current.rank),
    runner: accepted.runner,
    shell: accepted.shell === 'allow' ? current.shell : 'deny',
    network: meetNetworks(accepted.network, current.network),
    requireExplicit: accepted.requireExplicit || current.requireExplicit,
    requireLease: accepted.requireLease || current.requireLease,
    requireApproval: accepted.requireApproval || current.requireApproval,
    timeoutMs: Math.min(accepted.timeoutMs, current.timeoutMs),
    maxOutputBytes: Math.min(accepted.maxOutputBytes, current.maxOutputBytes),
    onOverflow: accepted.onOverflow === 'truncate' ? current.onOverflow : 'fail',
    isolation: accepted.isolation === 'none' ? current.isolation : 'required',
    retry: accepted.retry === 'safe' ? current.retry : 'never',
    onPartition: accepted.onPartition === 'continue' ? current.onPartition : 'cancel',
    commands: both(accepted.commands, current.commands),
    ...(workspaces ? { workspaces } : {}),
    readPaths: both(accepted.readPaths, current.readPaths),
    env: both(accepted.env, current.env),
    secrets: both(accepted.secrets, current.secrets),
    artifacts: both(accepted.artifacts, current.artifacts),
  };
}

function meetSubjects(accepted: SubjectRules, current: SubjectRules): SubjectRules {
  return {
    profiles: both(accepted.profiles, current.profiles),
    workspaces: both(accepted.workspaces, current.workspaces),
    maxDepth: Math.min(accepted.maxDepth, current.maxDepth),
    enabled: accepted.enabled && current.enabled,
    mayRequestLease: accepted.mayRequestLease && current.mayRequestLease,
    acceptOrigins: both(accepted.acceptOrigins, current.acceptOrigins),
    ceilings: current.ceilings,
    limits: meetLimits(accepted.limits, current.limits),
  };
}

function meetPeers(accepted: PeerConfig, current: PeerConfig): PeerConfig {
  return {
    ...meetSubjects(accepted, current),
    label: current.label,
    id: current.id,
    ...(current.address === undefined ? {} : { address: current.address }),
    outbound: meetOutbound(accepted.outbound, current.outbound),
  };
}

function meetOutbound(accepted: OutboundRules, current: OutboundRules): OutboundRules {
  return {
    profiles: both(accepted.profiles, current.profiles),
    workspaces: both(accepted.workspaces, current.workspaces),
    ship: accepted.ship && current.ship,
  };
}

function meetLimits(a: Limits, b: Limits): Limits {
  const maxConcurrent = lower(a.maxConcurrent, b.maxConcurrent);
  const tasksPerHour = lower(a.tasksPerHour, b.tasksPerHour);
  return {
    ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
    ...(tasksPerHour === undefined ? {} : { tasksPerHour }),
  };
}

function lower(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** Rules that only one side has count where they make a command stricter: none of them makes one known. */
function meetCommands(accepted: readonly CommandRule[], current: readonly CommandRule[]): readonly CommandRule[] {
  const isIn = (rules: readonly CommandRule[]): ((rule: CommandRule) => boolean) => {
    const texts = new Set(rules.map((rule) => JSON.stringify(rule)));
    return (rule) => texts.has(JSON.stringify(rule));
  };
  const [isAccepted, isCurrent] = [isIn(accepted), isIn(current)];
  const mark = (rule: CommandRule): CommandRule => ({ ...rule, onlyStricter: true });
  return [
    ...accepted.map((rule) => (isCurrent(rule) ? rule : mark(rule))),
    ...current.filter((rule) => !isAccepted(rule)).map(mark),
  ];
}
