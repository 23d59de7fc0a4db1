import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { nodeIdFromBase32 } from '@writ/core';
import { createPolicyEngine, type DecisionRequest, type PolicyEngine } from '@writ/policy';
import { createFakeClock } from '@writ/testkit';
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';

/** One way to answer the question of this bench: may this peer have this profile in this workspace. */
export interface PolicySubject {
  readonly name: string;
  readonly does: string;
  /** Answers a batch, at least: so that a sample is long against the clock. */
  readonly batch: number;
  /** The question once. */
  readonly ask: () => boolean;
}

const PROFILES = ['query', 'repo-dev', 'system-change'] as const;

/** A node id, for the peer of that number. */
const idOf = (peer: number): string =>
  nodeIdFromBase32(
    peer
      .toString(6)
      .replace(/./g, (digit) => 'abcdef'[Number(digit)] ?? '')
      .padStart(32, 'a'),
  );

/** A configuration with so many peers; each may ask for three profiles in one workspace. */
function policyText(peers: number): string {
  const head = `schema = 1
[node]
name = "bench"
[workspaces.app]
path = "."
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
[profiles.repo-dev]
capabilities = ["read_repo", "edit_repo", "run_tests"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
[profiles.system-change]
capabilities = ["read_repo", "edit_repo", "run_tests", "install_packages"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
[profile_ceilings]
system-change = "repo-dev"
`;
  return head + peerTables(peers, { profiles: PROFILES, workspaces: ['app'] });
}

/** The tables of so many peers, each with these rights. */
export function peerTables(
  peers: number,
  rights: { readonly profiles: readonly string[]; readonly workspaces: readonly string[] },
): string {
  const [profiles, workspaces] = [rights.profiles, rights.workspaces].map((names) => JSON.stringify(names));
  return Array.from(
    { length: peers },
    (_, peer) => `[peers.p${peer}]\nid = "${idOf(peer)}"\nprofiles = ${profiles}\nworkspaces = ${workspaces}\n`,
  ).join('');
}

/** The engine of a configuration with so many peers. */
function policyEngine(peers: number): PolicyEngine {
  return createPolicyEngine({ text: policyText(peers), clock: createFakeClock(0), selfId: idOf(peers + 1) });
}

function requestOf(engine: PolicyEngine, peer: number): DecisionRequest {
  const from = idOf(peer);
  const { closure = [] } = engine.snapshot().config.profiles.get('repo-dev') ?? {};
  const lease = { id: 'l', profile: 'repo-dev', closure, workspaces: [], expiresAtMs: 1 };
  const usage = { concurrent: 0, lastHour: 0 };
  return { from, chain: [from], profile: 'system-change', workspace: 'app', input: 'argv', leases: [lease], usage };
}

/** Deciding, with and without its trace read. */
export function engineSubjects(peers: number): readonly PolicySubject[] {
  const engine = policyEngine(peers);
  const request = requestOf(engine, peers >> 1);
  const suffix = `${peers} peers`;
  return [
    {
      name: `decide ${peers}`,
      does: `a decision with its full trace, ${suffix}`,
      batch: 2000,
      ask: () => {
        const { effect, trace } = engine.decide(request);
        return effect === 'allow' && trace.length > 8;
      },
    },
    {
      name: `minimal ${peers}`,
      does: `the same decision, its trace not read, ${suffix}`,
      batch: 2000,
      ask: () => engine.decide(request).effect === 'allow',
    },
  ];
}

const CASBIN_MODEL = `[request_definition]
r = sub, obj, act
[policy_definition]
p = sub, obj, act
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.sub == p.sub && r.obj == p.obj && r.act == p.act
`;

/** casbin with one rule for each peer and profile, in memory. */
export async function casbinSubject(peers: number): Promise<PolicySubject> {
  const lines = Array.from({ length: peers }, (_, peer) =>
    PROFILES.map((name) => `p, ${idOf(peer)}, app, ${name}`),
  ).flat();
  const enforcer = await newEnforcer(newModelFromString(CASBIN_MODEL), new StringAdapter(lines.join('\n')));
  enforcer.enableLog(false);
  const from = idOf(peers >> 1);
  const does = `casbin, ${lines.length} rules in memory, enforceSync`;
  return { name: 'casbin', does, batch: 20, ask: () => enforcer.enforceSync(from, 'app', 'system-change') };
}

/** Cedar with one policy for each peer and profile, parsed before. */
export function cedarSubject(peers: number): PolicySubject {
  const policies = Array.from({ length: peers }, (_, peer) =>
    PROFILES.map(
      (name) =>
        `permit(principal == Peer::"${idOf(peer)}", action == Action::"${name}", resource == Workspace::"app");`,
    ),
  ).flat();
  const parsed = preparsePolicySet('bench', { staticPolicies: policies.join('\n') });
  if (parsed.type !== 'success') throw new Error('cedar does not take the policies');
  const call = {
    principal: { type: 'Peer', id: idOf(peers >> 1) },
    action: { type: 'Action', id: 'system-change' },
    resource: { type: 'Workspace', id: 'app' },
    context: {},
    preparsedPolicySetId: 'bench',
    entities: [],
  };
  return {
    name: 'cedar',
    does: `Cedar, ${policies.length} policies parsed before`,
    batch: 20,
    ask: () => {
      const answer = statefulIsAuthorized(call);
      return answer.type === 'success' && answer.response.decision === 'allow';
    },
  };
}
