/** What a node that works for others offers in most tests. */
export interface ExecutingConfig {
  readonly name: string;
  readonly listen: string;
  /** Paths by name. */
  readonly workspaces: Readonly<Record<string, string>>;
  /** Commands that profile `query` lists, beside `true`. */
  readonly commands?: readonly (readonly string[])[];
  /** More TOML, at the end. */
  readonly more?: string;
}

/**
 * `query` runs listed commands only; `repo-dev` runs anything while it is lent; `system-change` has a runner of its
 * own (`operator`, which says so) and is cut down to `repo-dev`.
 */
export function executingConfig(config: ExecutingConfig): string {
  const text = (value: unknown): string => JSON.stringify(value);
  const commands = [['true'], ...(config.commands ?? [])];
  return `schema = 1

[node]
name = ${text(config.name)}
listen = ${text(config.listen)}
default_profile = "query"
${Object.entries(config.workspaces)
  .map(([name, path]) => `\n[workspaces.${name}]\npath = ${text(path)}\n`)
  .join('')}
[runners.operator]
kind = "command"
argv = ["echo", "the operator runs", "{prompt}"]

[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
commands = ${text(commands)}

[profiles.repo-dev]
capabilities = ["read_repo", "edit_repo", "run_tests"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
timeout = "5m"
isolation = "none"

[profiles.system-change]
capabilities = ["read_repo", "edit_repo", "run_tests", "manage_services"]
shell = "allow"
runner = "operator"
require_explicit = true
require_lease = true
isolation = "none"

[profile_ceilings]
system-change = "repo-dev"
${config.more ?? ''}`;
}
