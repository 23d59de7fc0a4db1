import type { Config, DecisionRequest, Network, Profile, SubjectRules } from '../types.ts';

/**
 * A second evaluator, written from the specification alone and slowly on purpose: lists and loops, no masks, no sets,
 * no code of the engine. Where both agree on very many random requests, neither is likely to be wrong alone.
 */
interface NaiveAnswer {
  /** `allow:PROFILE/RUNNER`, `ask:CODE` or `deny:CODE`. */
  readonly outcome: string;
  /** Closure that was granted, empty where denied. */
  readonly closure: readonly string[];
}

const TOUCHES_WORKSPACE = ['read_repo', 'edit_repo', 'run_tests', 'push_repo'];

export function naiveDecide(config: Config, request: DecisionRequest, selfId: string): NaiveAnswer {
  const deny = (code: string): NaiveAnswer => ({ outcome: `deny:${code}`, closure: [] });
  const rules = rulesOf(config, request.from);
  if (!rules) return deny('PEER_UNKNOWN');
  if (!rules.enabled) return deny('PEER_DISABLED');
  const badChain = judgeChain(config, rules, request, selfId);
  if (badChain) return deny(badChain);

  const asked = request.profile === undefined ? config.node.defaultProfile : lower(request.profile);
  if (request.profile === undefined) {
    if (asked === undefined || !rules.profiles.includes(asked)) return deny('PROFILE_REQUIRED');
    if (profileOf(config, asked)?.requireExplicit) return deny('PROFILE_REQUIRED');
  }
  const requested = profileOf(config, asked ?? '');
  if (!requested) return deny('PROFILE_UNKNOWN');
  if (!rules.profiles.includes(requested.name)) return deny('PROFILE_NOT_ALLOWED');

  const effective = lowest(config, rules, requested);
  if (effective.rank > requested.rank) return deny('RANK_EXCEEDED');
  if (!subset(effective.closure, requested.closure)) return deny('RANK_EXCEEDED');
  const badRunner = judgeRunner(config, effective, request);
  if (badRunner) return deny(badRunner);

  const grants = request.grants ?? [];
  if (!grants.slice(0, -1).every((grant) => grant.includes('subdelegate'))) return deny('GRANT_EXCEEDED');
  if (!grants.every((grant) => subset(effective.closure, grant))) return deny('GRANT_EXCEEDED');
  if (!workspaceHolds(config, rules, requested, effective, request)) return deny('WORKSPACE_NOT_ALLOWED');

  const asks: string[] = [];
  if (effective.requireLease && !hasLease(effective, request)) {
    if (!rules.mayRequestLease) return deny('LEASE_REQUIRED');
    asks.push('LEASE_REQUIRED');
  }
  const { maxConcurrent, tasksPerHour } = rules.limits;
  if (maxConcurrent !== undefined && request.usage.concurrent >= maxConcurrent) return deny('LIMIT_EXCEEDED');
  if (tasksPerHour !== undefined && request.usage.lastHour >= tasksPerHour) return deny('LIMIT_EXCEEDED');
  if (effective.requireApproval) asks.push('APPROVAL_REQUIRED');
  const outcome = asks.length > 0 ? `ask:${asks[0]}` : `allow:${effective.name}/${effective.runner}`;
  return { outcome, closure: effective.closure };
}

function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
}

function subset(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((one) => outer.includes(one));
}

function rulesOf(config: Config, from: string): SubjectRules | undefined {
  if (from === 'self') return config.self;
  return [...config.peers.values()].find((peer) => peer.id === lower(from));
}

function profileOf(config: Config, name: string): Profile | undefined {
  return [...config.profiles.values()].find((profile) => profile.name === name);
}

function judgeChain(config: Config, rules: SubjectRules, request: DecisionRequest, selfId: string): string | undefined {
  if (request.from === 'self') return request.chain.length === 0 ? undefined : 'CHAIN_MISMATCH';
  const chain = request.chain.map(lower);
  if (chain[chain.length - 1] !== lower(request.from)) return 'CHAIN_MISMATCH';
  for (let i = 0; i < chain.length; i++) {
    if (chain[i] === selfId || chain.indexOf(chain[i] ?? '') !== i) return 'CHAIN_CYCLE';
  }
  if (chain.length > config.node.maxChain) return 'CHAIN_TOO_DEEP';
  if (request.depthLeft !== undefined && request.depthLeft < 0) return 'CHAIN_TOO_DEEP';
  if (chain.length === 1) return undefined;
  const accepted = rules.acceptOrigins.map((label) => config.peers.get(label)?.id ?? config.origins.get(label));
  return accepted.includes(chain[0]) ? undefined : 'ORIGIN_NOT_ACCEPTED';
}

function lowest(config: Config, rules: SubjectRules, from: Profile): Profile {
  let at = from;
  for (;;) {
    const candidates = [config.ceilings[at.name], rules.ceilings[at.name]]
      .map((name) => (name === undefined ? undefined : profileOf(config, name)))
      .filter((profile) => profile !== undefined);
    if (candidates.length === 0) return at;
    const [first, second] = candidates;
    at = first && second ? (naiveWithin(second, first) ? second : first) : (first ?? at);
  }
}

/** Nothing about `inner` is wider than `outer`. */
export function naiveWithin(inner: Profile, outer: Profile): boolean {
  if (inner.rank > outer.rank || !subset(inner.closure, outer.closure)) return false;
  if (inner.timeoutMs > outer.timeoutMs || inner.maxOutputBytes > outer.maxOutputBytes) return false;
  if (inner.isolation === 'none' && outer.isolation !== 'none') return false;
  return reach(inner.network, outer.network);
}

function reach(inner: Network, outer: Network): boolean {
  const hosts = (network: Network): readonly string[] => (typeof network === 'string' ? [] : network);
  if (inner === 'allow') return outer === 'allow';
  return outer === 'allow' || subset(hosts(inner), hosts(outer));
}

function judgeRunner(config: Config, effective: Profile, request: DecisionRequest): string | undefined {
  const runner = config.runners.get(effective.runner);
  if (!runner) return 'RUNNER_NOT_ALLOWED';
  if (request.runner !== undefined && lower(request.runner) !== effective.runner) return 'RUNNER_NOT_ALLOWED';
  if (request.input === 'argv' && runner.kind !== 'shell') return 'RUNNER_NOT_ALLOWED';
  if (request.input === 'prompt' && runner.kind === 'shell') return 'RUNNER_NOT_ALLOWED';
  return undefined;
}

function workspaceHolds(
  config: Config,
  rules: SubjectRules,
  requested: Profile,
  effective: Profile,
  request: DecisionRequest,
): boolean {
  if (request.workspace === undefined) return !effective.closure.some((one) => TOUCHES_WORKSPACE.includes(one));
  const name = lower(request.workspace);
  const lists = [rules.workspaces, [...config.workspaces.keys()]];
  for (const bound of [requested.workspaces, effective.workspaces, request.grantWorkspaces])
    if (bound) lists.push(bound);
  return lists.every((list) => list.includes(name));
}

function hasLease(effective: Profile, request: DecisionRequest): boolean {
  return request.leases.some((lease) => {
    if (lease.profile !== effective.name || !subset(effective.closure, lease.closure)) return false;
    if (lease.workspaces.length === 0) return true;
    return request.workspace !== undefined && lease.workspaces.includes(lower(request.workspace));
  });
}
