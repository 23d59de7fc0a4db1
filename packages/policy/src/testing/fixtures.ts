import { compileConfig, formatViolations } from '../compile.ts';
import { decideWith } from '../decide.ts';
import type { CompiledPolicy } from '../policy-index.ts';
import type { Decision, DecisionRequest, LeaseFact, Profile } from '../types.ts';
import { SELF_ID, testId } from './testing.ts';

/** A configuration with all that decisions look at. For tests of this package only. */
export const BASE = `schema = 1
[node]
name = "box"
default_profile = "query"
[workspaces.app]
path = "."
[workspaces.site]
path = "site"
[profiles.query]
capabilities = ["inspect_status", "inspect_logs"]
runner = "shell"
commands = [["true"]]
[profiles.repo-dev]
capabilities = ["read_repo", "edit_repo", "run_tests"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
[profiles.system-change]
capabilities = ["read_repo", "edit_repo", "run_tests", "install_packages", "subdelegate"]
shell = "allow"
network = "allow"
runner = "fixer"
require_explicit = true
require_lease = true
[runners.fixer]
kind = "command"
argv = ["fix", "{prompt}"]
[profile_ceilings]
system-change = "repo-dev"
[peers.laptop]
id = "${testId('laptop')}"
address = "laptop.lan:7420"
profiles = ["query", "repo-dev", "system-change"]
workspaces = ["app"]
max_depth = 2
[peers.laptop.outbound]
profiles = ["query"]
workspaces = ["app"]
[peers.desk]
id = "${testId('desk')}"
profiles = ["query"]
workspaces = ["app"]
[peers.desk.limits]
max_concurrent = 2
`;

/** The policy of a text that has to load. */
export function load(text: string): CompiledPolicy {
  const result = compileConfig(text);
  if (!result.ok) throw new Error(formatViolations(result.violations));
  return result.policy;
}

/** A request of the peer `label` with nothing special about it. */
export function requestFrom(label: string, change: Partial<DecisionRequest> = {}): DecisionRequest {
  const from = testId(label);
  return { from, chain: [from], leases: [], usage: { concurrent: 0, lastHour: 0 }, ...change };
}

/** A lease on everything that `profile` holds now. */
export function leaseOn(profile: Profile | undefined, change: Partial<LeaseFact> = {}): LeaseFact {
  const { name, closure } = profile ?? { name: '', closure: [] };
  return { id: `lease-${name}`, profile: name, closure, workspaces: [], expiresAtMs: 1, ...change };
}

/** One decision of a policy, under generation 1. */
export function decideBy(policy: CompiledPolicy, request: DecisionRequest): Decision {
  return decideWith(policy.index, request, { generation: 1, selfId: SELF_ID });
}
