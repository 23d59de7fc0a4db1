import { joinPath } from './key-path.ts';
import { tomlString, tomlStrings } from './toml-text.ts';
import type { Isolation } from './types.ts';

export interface StockOptions {
  readonly nodeName: string;
  /** `host:port` of the mesh listener; absent: the node only dials out. */
  readonly listen?: string | undefined;
  readonly workspaces: readonly { readonly name: string; readonly path: string }[];
  /** `none` where this machine has no sandbox; it is written into every profile, so that it can be seen. Those that are about the machine itself do without in any case. */
  readonly isolation: Isolation;
}

/** Commands that tell about a machine and change nothing. An open pattern only where loading takes it at rank 0. */
const PROBES: readonly (readonly string[])[] = [
  ['true'],
  ['echo', '**'],
  ['uname', '**'],
  ['df', '**'],
  ['uptime'],
  ['hostname'],
  ['date'],
  ['id'],
  ['nproc'],
  ['git', '--version'],
  ['node', '--version'],
];

/** Reading a repository. No free arguments: git writes, and starts programs, where they tell it to. */
const REPOSITORY_READS: readonly (readonly string[])[] = [
  ['ls'],
  ['ls', '-la'],
  ['git', 'status'],
  ['git', 'status', '--short'],
  ['git', 'log', '--oneline'],
  ['git', 'log', '--oneline', '-20'],
  ['git', 'log', '-1'],
  ['git', 'log', '--stat', '-5'],
  ['git', 'diff', '--stat'],
  ['git', 'show', '--stat', 'HEAD'],
  ['git', 'ls-files'],
  ['git', 'rev-parse', 'HEAD'],
];

interface StockProfile {
  readonly name: string;
  readonly comment: string;
  readonly capabilities: readonly string[];
  readonly highRisk: boolean;
  readonly network?: 'allow';
  /** Why it works without a sandbox even where there is one. */
  readonly onHost?: string;
  readonly commands?: readonly (readonly string[])[];
}

const PROFILES: readonly StockProfile[] = [
  {
    name: 'query',
    comment: 'rank 0: looks at the machine; only the listed commands run',
    capabilities: ['inspect_status', 'inspect_logs'],
    highRisk: false,
    onHost: 'looks at the machine itself: a sandbox would show it another one',
    commands: PROBES,
  },
  {
    name: 'readonly-agent',
    comment: 'rank 1: reads a repository; only the listed commands run',
    capabilities: ['read_repo'],
    highRisk: false,
    commands: [['true'], ...REPOSITORY_READS],
  },
  {
    name: 'repo-dev',
    comment: 'rank 2: edits a copy of a repository and runs its tests; high-risk, so named and lent only',
    capabilities: ['read_repo', 'edit_repo', 'run_tests'],
    highRisk: true,
  },
  {
    name: 'interactive',
    comment: 'rank 3: as repo-dev, and answers while it works',
    capabilities: ['read_repo', 'edit_repo', 'run_tests', 'interactive'],
    highRisk: true,
  },
  {
    name: 'system-change',
    comment: 'rank 4: changes the machine itself',
    capabilities: ['read_repo', 'edit_repo', 'run_tests', 'use_network', 'install_packages', 'manage_services'],
    highRisk: true,
    network: 'allow',
    onHost: 'changes the machine itself, which no sandbox lets it',
  },
];

const UNCONFINED = 'tasks run without a sandbox, as the user of the node';

/** The configuration that a new node begins with: five profiles, commented, nobody allowed in. It loads. */
export function stockConfig(options: StockOptions): string {
  const { nodeName, listen, workspaces, isolation } = options;
  const sections = [
    [
      '# Writ: what this node offers, and to whom. Every key: docs/configuration.md',
      '# After a change: writ policy validate, writ policy reload (--accept where it gives somebody more)',
      'schema = 1',
    ],
    [
      '[node]',
      `name = ${tomlString(nodeName)}`,
      listen === undefined
        ? '# listen = "0.0.0.0:7420"   # without it this node only dials out'
        : `listen = ${tomlString(listen)}`,
      'default_profile = "query"   # for requests that name none',
    ],
    ...(workspaces.length > 0
      ? [
          ['# Repositories that tasks may work on; each task gets a copy of its own.'],
          ...workspaces.map(workspaceLines),
        ]
      : [['# [workspaces.app]', '# path = "~/src/app"']]),
    ...PROFILES.map((profile) => profileLines(profile, isolation)),
    [
      '# A request for system-change is cut down to repo-dev. Take this out to let it through.',
      '[profile_ceilings]',
      'system-change = "repo-dev"',
    ],
    [
      "# What this machine's own agent may ask of this node itself.",
      '[self]',
      'profiles = ["query", "readonly-agent", "repo-dev"]',
      `workspaces = ${tomlStrings(workspaces.map(({ name }) => name))}`,
    ],
    ['# Peers are added by: writ peer invite, writ peer join CODE'],
    ['# What has to hold at every load; a policy that breaks it is not taken.', ...testLines()],
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function workspaceLines({ name, path }: { readonly name: string; readonly path: string }): string[] {
  return [`[${joinPath('workspaces', name)}]`, `path = ${tomlString(path)}`];
}

function profileLines(profile: StockProfile, isolation: Isolation): string[] {
  const { name, comment, capabilities, highRisk, network, commands, onHost } = profile;
  const free = onHost ?? (isolation === 'none' ? UNCONFINED : undefined);
  return [
    `[profiles.${name}]   # ${comment}`,
    `capabilities = ${tomlStrings(capabilities)}`,
    'runner = "shell"',
    ...(highRisk ? ['shell = "allow"', 'require_explicit = true', 'require_lease = true'] : []),
    ...(network ? [`network = ${tomlString(network)}`] : []),
    ...(free === undefined ? [] : [`isolation = "none"   # ${free}`]),
    ...(commands ? ['commands = [', ...commands.map((pattern) => `  ${tomlStrings(pattern)},`), ']'] : []),
  ];
}

function testLines(): string[] {
  return [
    '[[tests]]',
    'from = "self"',
    'profile = "query"',
    'expect = "allow:query/shell"',
    '[[tests]]',
    'from = "self"',
    'profile = "system-change"',
    'lease = true',
    'expect = "deny:PROFILE_NOT_ALLOWED"',
    '[[tests]]',
    'from = "stranger"',
    'profile = "query"',
    'expect = "deny:PEER_UNKNOWN"',
  ];
}
