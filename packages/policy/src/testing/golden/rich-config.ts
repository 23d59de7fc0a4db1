import { testId } from '../testing.ts';

/** A configuration that says something about nearly everything that can be said. For tests of this package only. */
export const RICH = `schema = 1
[node]
name = "rich"
listen = "127.0.0.1:7420"
default_profile = "query"
max_chain = 4
[gateway]
listen = "127.0.0.1:7421"
[approvals]
mode = "passphrase"
max_pending = 4
[leases]
max = "12h"
[workspaces.app]
path = "app"
[workspaces.site]
path = "site"
[workspaces.docs]
path = "docs"
[profiles.query]
capabilities = ["inspect_status", "inspect_logs"]
runner = "shell"
commands = [["true"], ["echo", "**"]]
timeout = "1m"
max_output = "1MiB"
[profiles.reader]
capabilities = ["inspect_status", "read_repo"]
runner = "shell"
workspaces = ["app", "site"]
read_paths = ["/srv/a"]
env = ["LANG"]
artifacts = ["*.log"]
[profiles.dev]
claims = ["read_repo", "edit_repo", "run_tests", "subdelegate"]
shell = "allow"
network = ["a.example:443", "b.example:443"]
runner = "fixer"
require_explicit = true
require_lease = true
timeout = "20m"
secrets = ["key"]
[profiles.gated]
capabilities = ["inspect_status"]
runner = "shell"
require_approval = true
timeout = "2m"
[profiles.system]
capabilities = ["read_repo", "edit_repo", "run_tests", "subdelegate", "use_network", "install_packages"]
shell = "allow"
network = "allow"
runner = "shell"
isolation = "none"
on_overflow = "truncate"
retry = "safe"
on_partition = "continue"
require_explicit = true
require_lease = true
[runners.fixer]
kind = "command"
argv = ["fix", "{prompt}"]
[profile_ceilings]
system = "dev"
[peers.laptop]
id = "${testId('laptop')}"
address = "laptop.lan:7420"
profiles = ["query", "reader", "dev", "system", "gated"]
workspaces = ["app", "site"]
max_depth = 2
may_request_lease = true
accept_origins = ["desk", "far"]
[peers.laptop.outbound]
profiles = ["query", "build"]
workspaces = ["app"]
ship = false
[peers.laptop.profile_ceilings]
dev = "query"
[peers.laptop.limits]
max_concurrent = 2
tasks_per_hour = 10
[peers.desk]
id = "${testId('desk')}"
profiles = ["dev", "system"]
workspaces = ["app"]
max_depth = 1
[peers.shelf]
id = "${testId('shelf')}"
enabled = false
profiles = ["query"]
[peers.mute]
id = "${testId('mute')}"
[self]
profiles = ["query", "dev"]
workspaces = ["app", "docs"]
[origins.far]
id = "${testId('far')}"
[[commands]]
match = ["deploy", "*"]
class = "destructive"
needs = ["manage_services"]
target = 1
examples = [["deploy", "x"]]
not_examples = [["deploy"]]
[upstreams.files]
command = ["files", "--serve"]
env = ["HOME"]
session_argument = "session"
[[tests]]
from = "nobody"
profile = "query"
expect = "deny:PEER_UNKNOWN"
[storage]
budget = "1GiB"
done = "1h"
failed = "2h"
orphaned = "3h"
transcripts = "30d"
keep_tasks = "60d"
`;

/** An edit of `RICH`: what it is called, what is replaced, by what. The first place counts. */
export type Edit = readonly [name: string, from: string, to: string];

/** `RICH` with an edit. Throws where what is to be replaced is not there. */
export function edited([name, from, to]: Edit): string {
  if (!RICH.includes(from)) throw new TypeError(`${name} replaces what is not there`);
  return RICH.replace(from, () => to);
}
