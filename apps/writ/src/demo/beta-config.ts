/** A command that prints, waits and prints again: its first line must arrive before its last is written. */
export const LIVE_COMMAND = ['sh', '-c', 'echo one; sleep 0.4; echo two'] as const;

/** What a node of the demo is configured with. */
export interface DemoNode {
  readonly listen: string;
  readonly repo: string;
  /** `required` where this machine has a sandbox. */
  readonly isolation: 'required' | 'none';
}

/** Beta's configuration: what it offers, under which profiles, and the ceiling that cuts system-change down. */
export function betaConfig(node: DemoNode): string {
  return `schema = 1

[node]
name = "beta"
listen = ${JSON.stringify(node.listen)}
default_profile = "query"

[workspaces.app]
path = ${JSON.stringify(node.repo)}

[runners.operator]             # what system-change would run with
kind = "command"
argv = ["operator-agent", "{prompt}"]

[profiles.query]
capabilities = ["inspect_status", "read_repo"]
runner = "shell"
isolation = "${node.isolation}"
commands = [
  ["true"],
  ["git", "log", "--oneline", "-1"],
  ["git", "log", "--oneline", "-3"],
  ${JSON.stringify(LIVE_COMMAND)},
]

[profiles.repo-dev]
capabilities = ["read_repo", "edit_repo", "run_tests", "subdelegate"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
timeout = "5m"
isolation = "${node.isolation}"

[profiles.system-change]
capabilities = ["read_repo", "edit_repo", "run_tests", "subdelegate", "manage_services"]
shell = "allow"
runner = "operator"
require_explicit = true
require_lease = true
isolation = "${node.isolation}"

[profiles.operate]             # changes of the machine itself, each with a yes or under an open window
capabilities = ["inspect_status", "edit_repo", "manage_services", "destructive"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
isolation = "none"             # on the machine itself

[self]                         # what beta's own agents may ask for, with a person's yes
profiles = ["query", "repo-dev", "operate"]
workspaces = ["app"]
may_request_lease = true

[profile_ceilings]
system-change = "repo-dev"     # whoever asks for system-change gets repo-dev
`;
}
