import type { DemoNode } from './beta-config.ts';

/** What the demo looks for among processes to see that nothing is left. */
export const HANDED_ON_SLEEP = ['sleep', '16180'] as const;

/** Gamma's configuration: a look at the machine for anybody who may ask, the tests, and a profile that may hand work on again. */
export function gammaConfig(node: DemoNode & { readonly testCommand: readonly string[] }): string {
  return `schema = 1

[node]
name = "gamma"
listen = ${JSON.stringify(node.listen)}
default_profile = "query"

[workspaces.app]
path = ${JSON.stringify(node.repo)}

[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "${node.isolation}"
commands = [
  ["true"],
  ["uname", "-s"],
  ${JSON.stringify(HANDED_ON_SLEEP)},
]

[profiles.check]               # less than beta has: one command, and no way on
capabilities = ["read_repo"]
runner = "shell"
require_explicit = true
timeout = "5m"
isolation = "${node.isolation}"
commands = [${JSON.stringify(node.testCommand)}]

[profiles.relay]
capabilities = ["inspect_status", "subdelegate"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
timeout = "5m"
isolation = "${node.isolation}"
`;
}
