import { matchesPattern, quote } from '@writ/core';
import { buildCeilings, checkNodeCircles, didYouMean } from './ceilings.ts';
import { joinPath } from './key-path.ts';
import { buildProfile, knownCapability } from './profiles.ts';
import type { Placed, Report } from './readers.ts';
import { type CommandDocument, type Document, SCHEMA_VERSION } from './schema.ts';
import { buildPeer, buildSubject, checkDistinctIds, checkNodeId, NO_RULES, type Surroundings } from './subjects.ts';
import type {
  CommandRule,
  Config,
  PeerConfig,
  Profile,
  RunnerConfig,
  StorageConfig,
  UpstreamConfig,
  WorkspaceConfig,
} from './types.ts';
import { NO_WEB_ADDRESS, readWebAddress } from './web-address.ts';

/** The runner that is always there: it takes an argv, and no shell unless the profile allows one. */
const BUILT_IN_RUNNER: RunnerConfig = { name: 'shell', kind: 'shell', argv: [] };

const DAY_MS = 86_400_000;
const GIB = 1024 ** 3;

/** The configuration that a document means, with every rule of loading looked at. Use it only where none reported. */
export function buildConfig(written: Document, report: Report): Config {
  checkVersion(written, report);
  const workspaces = buildWorkspaces(written);
  const runners = buildRunners(written, report);
  const profiles = buildProfiles(written, runners, workspaces, report);
  const ceilings = buildCeilings(written.profile_ceilings, profiles, report);
  const nodeCircles = checkNodeCircles(written.profile_ceilings, ceilings, report);
  const labels = new Map<string, unknown>([...(written.origins ?? []), ...(written.peers ?? [])]);
  const around: Surroundings = { profiles, workspaces, nodeCeilings: ceilings, nodeCircles, labels };
  const { name, listen, max_chain: maxChain } = written.node ?? { name: '', max_chain: 1 };
  const defaultProfile = checkDefaultProfile(written, profiles, report);
  const gatewayListen = written.gateway?.listen;
  const { mode, fallback, max_pending: maxPending } = written.approvals ?? APPROVALS;
  return {
    node: {
      name: name ?? '',
      ...(listen === undefined ? {} : { listen }),
      ...(defaultProfile === undefined ? {} : { defaultProfile }),
      maxChain,
    },
    gateway: gatewayListen === undefined ? {} : { listen: gatewayListen },
    telemetry: { ...written.telemetry },
    leases: { maxMs: written.leases?.max ?? DAY_MS },
    approvals: { mode, fallback, maxPending },
    storage: buildStorage(written.storage),
    profiles,
    runners,
    workspaces,
    ceilings,
    peers: buildPeers(written, around, report),
    origins: buildOrigins(written, report),
    self: written.self ? buildSubject(written.self, around, report) : NO_RULES,
    commands: (written.commands ?? []).map((rule) => buildCommandRule(rule, report)),
    upstreams: buildUpstreams(written, report),
  };
}

const APPROVALS = { mode: 'passphrase', fallback: 'deny', max_pending: 8 } as const;

/** Without the table everything has its default. */
function buildStorage(written: Document['storage']): StorageConfig {
  const { budget = 10 * GIB, done, failed = DAY_MS, orphaned = DAY_MS, transcripts } = written ?? {};
  const keepTasksMs = written?.keep_tasks ?? 90 * DAY_MS;
  return {
    budgetBytes: budget,
    failedMs: failed,
    orphanedMs: orphaned,
    keepTasksMs,
    ...(done === undefined ? {} : { doneMs: done }),
    ...(transcripts === undefined ? {} : { transcriptsMs: transcripts }),
  };
}

function checkVersion(written: Document, report: Report): void {
  if (written.schema === undefined || written.schema === SCHEMA_VERSION) return;
  report('SCHEMA_VERSION', 'schema', `schema ${written.schema} is not known to this program, write ${SCHEMA_VERSION}`);
}

function buildWorkspaces(written: Document): ReadonlyMap<string, WorkspaceConfig> {
  const entries = [...(written.workspaces ?? [])];
  return new Map(entries.map(([name, { value }]) => [name, { name, path: value.path ?? '', ready: value.ready }]));
}

function buildRunners(written: Document, report: Report): ReadonlyMap<string, RunnerConfig> {
  const runners = new Map([[BUILT_IN_RUNNER.name, BUILT_IN_RUNNER]]);
  for (const [name, { path, value }] of written.runners ?? []) {
    if (name === BUILT_IN_RUNNER.name) {
      report('NAME_CONFLICT', path, '`shell` is the built-in runner, give yours another name');
      continue;
    }
    const { kind = 'command' } = value;
    const argv = value.argv?.value ?? [];
    const at = value.argv?.path ?? joinPath(path, 'argv');
    const wrong = value.kind && wrongArgv(kind, value.argv?.value);
    if (wrong !== undefined) report('BAD_VALUE', at, wrong);
    runners.set(name, { name, kind, argv });
  }
  return runners;
}

/** What is wrong with the arguments of a runner, and what to write instead. */
function wrongArgv(kind: RunnerConfig['kind'], argv: readonly string[] | undefined): string | undefined {
  const isOwn = kind === 'codex' || kind === 'claude';
  if (argv === undefined) return isOwn ? undefined : 'the runner names no program, write it and its arguments';
  if (argv.length === 0) return 'the list is empty, write the program and its arguments';
  const takesPrompt = argv.slice(1).some((argument) => argument.includes('{prompt}'));
  if (kind === 'command')
    return takesPrompt ? undefined : 'no argument takes the work, write "{prompt}" as one of them';
  return argv.some((argument) => argument.includes('{prompt}'))
    ? `a runner of kind ${kind} is told its work in another way, leave "{prompt}" out`
    : undefined;
}

function buildProfiles(
  written: Document,
  runners: ReadonlyMap<string, RunnerConfig>,
  workspaces: ReadonlyMap<string, WorkspaceConfig>,
  report: Report,
): ReadonlyMap<string, Profile> {
  const profiles = new Map<string, Profile>();
  for (const [name, entry] of written.profiles ?? []) {
    profiles.set(name, buildProfile(name, entry, report));
    const runner = entry.value.runner;
    if (runner && !runners.has(runner.value)) {
      report('UNKNOWN_RUNNER', runner.path, `no runner ${quote(runner.value)}${didYouMean(runner.value, runners)}`);
    }
    for (const { path, value } of entry.value.workspaces ?? []) {
      if (workspaces.has(value)) continue;
      report('UNKNOWN_WORKSPACE', path, `no workspace ${quote(value)}${didYouMean(value, workspaces)}`);
    }
  }
  return profiles;
}

function checkDefaultProfile(
  written: Document,
  profiles: ReadonlyMap<string, Profile>,
  report: Report,
): string | undefined {
  const named = written.node?.default_profile;
  if (!named) return undefined;
  const profile = profiles.get(named.value);
  if (!profile)
    report('UNKNOWN_PROFILE', named.path, `no profile ${quote(named.value)}${didYouMean(named.value, profiles)}`);
  else if (profile.requireExplicit) {
    report('BAD_VALUE', named.path, `${quote(named.value)} has to be asked for by name, write a profile that has not`);
  }
  return named.value;
}

function buildPeers(written: Document, around: Surroundings, report: Report): ReadonlyMap<string, PeerConfig> {
  const peers = new Map<string, PeerConfig>();
  for (const [label, entry] of written.peers ?? []) {
    const peer = buildPeer(label, entry, around, report);
    if (peer) peers.set(label, peer);
  }
  checkDistinctIds(written.peers ?? new Map(), report);
  return peers;
}

function buildOrigins(written: Document, report: Report): ReadonlyMap<string, string> {
  const origins = new Map<string, string>();
  for (const [label, { path, value }] of written.origins ?? []) {
    if (written.peers?.has(label))
      report('NAME_CONFLICT', path, `${quote(label)} is a peer already, take one of them out`);
    if (value.id && checkNodeId(value.id, report)) origins.set(label, value.id.value);
  }
  return origins;
}

function buildCommandRule({ path, value: rule }: Placed<CommandDocument>, report: Report): CommandRule {
  const match = rule.match ?? [];
  // INVARIANT: 5 what a rule makes known, or lets run alone, is a program that its owner named.
  if (match[0] === '*') {
    const instead = 'write its name, and one rule for each program';
    report('BAD_VALUE', joinPath(path, 'match'), `a rule is about one program, and \`*\` stands for any; ${instead}`);
  }
  const hasTarget = rule.target === undefined || match.at(-1) === '**' || rule.target < match.length;
  if (rule.match && !hasTarget)
    report('BAD_VALUE', joinPath(path, 'target'), `the pattern has no argument ${rule.target}, it ends before`);
  for (const example of rule.match ? rule.examples : []) {
    if (!matchesPattern(match, example.value))
      report('EXAMPLE_FAILED', example.path, 'the rule does not match this example');
  }
  for (const example of rule.match ? rule.not_examples : []) {
    if (matchesPattern(match, example.value))
      report('EXAMPLE_FAILED', example.path, 'the rule matches this, and may not');
  }
  const needs = rule.needs.filter((one) => knownCapability(one, report)).map(({ value }) => value);
  return {
    match,
    class: rule.class ?? 'destructive',
    needs,
    ...(rule.target === undefined ? {} : { target: rule.target }),
  };
}

function buildUpstreams(written: Document, report: Report): ReadonlyMap<string, UpstreamConfig> {
  const upstreams = new Map<string, UpstreamConfig>();
  for (const [name, { path, value }] of written.upstreams ?? []) {
    const { command, url, env, session_argument: sessionArgument, agents, tasks, profiles } = value;
    if ((command === undefined) === (url === undefined)) {
      report('BAD_VALUE', joinPath(path, 'command'), 'an upstream has either `command` or `url`, write one of them');
    }
    if (command !== undefined && !command[0]) {
      report('BAD_VALUE', joinPath(path, 'command'), 'it names no program, write the program first');
    }
    if (url !== undefined && readWebAddress(url) === undefined) {
      // Nothing of it is repeated: there may be a password in it.
      const instead = 'write one such as "https://tools.example/mcp"; a password goes to a `command`, through `env`';
      report('BAD_VALUE', joinPath(path, 'url'), `${quote(joinPath(path, 'url'))} ${NO_WEB_ADDRESS}, ${instead}`);
    }
    // The names of its tools begin with its own and two of these: one that holds them could not be told from it.
    if (name.includes('__') || name.endsWith('_')) {
      report(
        'BAD_NAME',
        path,
        `${quote(name)} is no name of an upstream, write one without \`__\` and \`_\` at its end`,
      );
    }
    upstreams.set(name, {
      name,
      env: asSet(env),
      ...(command ? { command } : {}),
      ...(url === undefined ? {} : { url }),
      ...(sessionArgument === undefined ? {} : { sessionArgument }),
      agents: asSet(agents),
      tasks: asSet(tasks),
      profiles: asSet(profiles),
    });
  }
  return upstreams;
}

/** Two lists that name the same are the same, in whatever order a person wrote them. */
function asSet(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
