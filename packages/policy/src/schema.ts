import { foldId, formatDuration, isSecretFileName, LEAST_KEPT_MS, parseDuration } from '@writ/core';
import { dialAddress, listenAddress, loopbackAddress, traceAddress } from './addresses.ts';
import { RUNNER_KINDS } from './config-types.ts';
import {
  anyText,
  defaulted,
  duration,
  flag,
  integer,
  type Keys,
  listOf,
  name,
  named,
  oneOf,
  optional,
  placed,
  placedListOf,
  type Reader,
  type Report,
  required,
  size,
  type TableOf,
  table,
  tables,
  text,
  unshownText,
} from './readers.ts';

/** The newest `schema` that this program reads. */
export const SCHEMA_VERSION = 1;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

const keptDuration = text(`a duration of at least "${formatDuration(LEAST_KEPT_MS)}"`, (written) => {
  const ms = parseDuration(written);
  return ms === undefined || ms < LEAST_KEPT_MS ? undefined : ms;
});

const network: Reader<'deny' | 'allow' | readonly string[]> = {
  type: '"deny", "allow" or a list of host:port',
  shape: { anyOf: [{ enum: ['deny', 'allow'] }, { type: 'array', items: { type: 'string' } }] },
  read(value: unknown, path: string, report: Report) {
    return Array.isArray(value)
      ? listOf(dialAddress).read(value, path, report)
      : text(this.type, (written) => (written === 'deny' || written === 'allow' ? written : undefined)).read(
          value,
          path,
          report,
        );
  },
};

const names = placedListOf(name);
const texts = listOf(anyText);
const variables = listOf(
  unshownText('the name of a variable alone, such as "LANG"', 'is no name', (written) =>
    written === '' || written.includes('=') || written.includes('\0') ? undefined : written,
  ),
);
const secretNames = listOf(
  // Whoever writes the secret itself here need not read it in a message, too.
  unshownText('the name of a file alone, such as "NPM_TOKEN"', 'is no name', (written) =>
    isSecretFileName(written) ? written : undefined,
  ),
);
const argv = listOf(text('a text', (written) => written));

const commandPattern: Reader<readonly string[]> = {
  type: 'a list of arguments, `*` for any one, a final `**` for any number',
  shape: { type: 'array', items: { type: 'string' }, minItems: 1 },
  read(value, path, report) {
    const pattern = argv.read(value, path, report);
    const open = pattern?.indexOf('**') ?? -1;
    if (pattern && (pattern.length === 0 || (open >= 0 && open < pattern.length - 1) || pattern[0] === '**')) {
      report('BAD_VALUE', path, 'a command pattern names a program first, and `**` only stands last');
      return undefined;
    }
    if (pattern && (pattern[0] === '' || pattern.some((argument) => argument.includes('\0')))) {
      report('BAD_VALUE', path, 'no command has an empty program, or a zero byte in an argument; take it out');
      return undefined;
    }
    return pattern;
  },
};

const profileKeys = {
  capabilities: optional(placedListOf(anyText), 'what the profile may do; words of the closed vocabulary'),
  claims: optional(placedListOf(anyText), 'older spelling of `capabilities`; both given: their union; deprecated'),
  runner: required(placed(name), 'the runner that does the work; `shell` is built in'),
  shell: defaulted(
    oneOf('allow', 'deny'),
    'deny',
    'deny',
    'whether any command may run; high-risk, implies the probes',
  ),
  network: defaulted(
    network,
    'deny',
    'deny',
    'other than deny implies `use_network`; in a sandbox, what a task reaches through a proxy: `host:port`, or with `allow` all but this machine and its link',
  ),
  require_explicit: defaulted(flag, false, 'false', 'the profile has to be asked for by name'),
  require_lease: defaulted(flag, false, 'false', 'a live lease is needed'),
  require_approval: defaulted(
    flag,
    false,
    'false',
    'a person is asked each time; where nobody could answer, requests are refused',
  ),
  rank: optional(placed(integer(0, 4)), 'a higher place on the risk ladder than the capabilities give'),
  timeout: defaulted(duration, 30 * MINUTE_MS, '30m', 'longest a task may run'),
  max_output: defaulted(
    size,
    8 * MIB,
    '8MiB',
    'most output of work that goes well; what more of it means: `on_overflow`',
  ),
  on_overflow: defaulted(
    oneOf('fail', 'truncate'),
    'fail',
    'fail',
    'more output than `max_output`: `fail` ends as RESULT_TOO_LARGE, `truncate` as completed',
  ),
  isolation: defaulted(
    oneOf('required', 'none'),
    'required',
    'required',
    '`none` lets tasks run without a sandbox, with the rights of the node’s own user: `read_paths`, `network` and the rest are not in force then',
  ),
  retry: defaulted(
    oneOf('never', 'safe'),
    'never',
    'never',
    '`safe`: a task whose attempt was lost because the node stopped is started again, three attempts at most',
  ),
  on_partition: defaulted(
    oneOf('cancel', 'continue'),
    'cancel',
    'cancel',
    'what becomes of a running task at the end of its writ, where nobody could renew it; nothing starts then, either way',
  ),
  workspaces: optional(names, 'only these of the workspaces that the peer has; left out: all of them'),
  commands: defaulted(
    placedListOf(commandPattern),
    [],
    '[]',
    'commands that may run although the shell is denied; free arguments only after programs that merely print, or with `run_tests`',
  ),
  read_paths: defaulted(
    texts,
    [],
    '[]',
    'files and folders outside the workspace that `read_files` may read, as they are named or where a link of that name leads',
  ),
  env: defaulted(variables, [], '[]', 'environment variables that pass from the node to the task'),
  secrets: defaulted(
    secretNames,
    [],
    '[]',
    'secrets that `use_secrets` hands over as files, by name: each is a file of that name in `secrets` of the node’s data folder',
  ),
  artifacts: defaulted(texts, [], '[]', 'patterns of files that are kept as artifacts'),
} satisfies Keys;

const subjectKeys = {
  profiles: defaulted(names, [], '[]', 'profiles that may be asked for here'),
  workspaces: defaulted(names, [], '[]', 'workspaces that may be worked on here'),
  max_depth: defaulted(integer(0, 64), 0, '0', 'further hops that may follow'),
  enabled: defaulted(flag, true, 'true', 'false refuses every request'),
  may_request_lease: defaulted(
    flag,
    false,
    'false',
    'may ask for a lease, and work that lacks one waits for a person; where nobody could answer, it is refused',
  ),
  accept_origins: defaulted(names, [], '[]', 'peers or origins whose work may come through here'),
  profile_ceilings: optional(named(placed(name)), 'profile = the profile that it is cut down to'),
  limits: optional(
    table({
      max_concurrent: optional(
        integer(1, 1_000_000),
        'tasks at the same time, queued ones included; left out: no limit but that 1000 may wait for a slot',
      ),
      tasks_per_hour: optional(
        integer(1, 1_000_000_000),
        'requests in an hour, refused ones included; left out: no limit',
      ),
    }),
    'how much at once and in an hour',
  ),
} satisfies Keys;

const outboundKeys = {
  profiles: defaulted(listOf(name), [], '[]', 'profiles that agents here may ask of the peer (its names)'),
  workspaces: defaulted(listOf(name), [], '[]', 'workspaces that agents here may name at the peer (its names)'),
  ship: defaulted(flag, false, 'false', 'whether a working tree may be sent along'),
} satisfies Keys;

const nodeId = text('a node id such as "wn-…"', (written) => (written.length <= 200 ? foldId(written) : undefined));

const peerKeys = {
  id: required(placed(nodeId), 'identity of the peer; the name of the table is only a label'),
  address: optional(dialAddress, 'where the peer can be reached; a peer without one can ask and cannot be asked'),
  ...subjectKeys,
  outbound: optional(table(outboundKeys), 'what agents of this machine may ask of the peer'),
} satisfies Keys;

const runnerKeys = {
  kind: required(oneOf(...RUNNER_KINDS), 'the driver; `shell` is built in'),
  argv: optional(
    placed(argv),
    'program and arguments; `{prompt}` (`command` only) and `{workspace}` are filled in, never through a shell; `codex` and `claude` have one of their own',
  ),
} satisfies Keys;

const testKeys = {
  from: required(placed(name), 'label of a peer, or `self`'),
  chain: optional(names, 'labels from the origin to the sender; left out: the sender alone'),
  profile: optional(anyText, 'profile asked for; left out: none is named'),
  runner: optional(anyText, 'runner asked for'),
  workspace: optional(anyText, 'workspace asked for'),
  input: optional(oneOf('argv', 'prompt'), 'how the work is given'),
  lease: defaulted(flag, false, 'false', 'a live lease covers the request'),
  expect: required(
    text('"allow:PROFILE", "allow:PROFILE/RUNNER", "ask:CODE" or "deny:CODE"', (written) =>
      /^(allow(:[a-z0-9._-]+(\/[a-z0-9._-]+)?)?|(ask|deny):[A-Z_]+)$/.test(written) ? written : undefined,
    ),
    'what has to come out',
  ),
} satisfies Keys;

const commandKeys = {
  match: required(
    commandPattern,
    'arguments that the rule is about; a program by its absolute path is that file alone',
  ),
  class: required(oneOf('read', 'config-mutation', 'destructive'), 'what such a command is'),
  needs: defaulted(placedListOf(anyText), [], '[]', 'capabilities that it needs'),
  target: optional(integer(1, 64), 'place of the argument that is its target'),
  examples: defaulted(
    placedListOf(argv),
    [],
    '[]',
    'commands that the rule has to match; looked at when the file loads',
  ),
  not_examples: defaulted(
    placedListOf(argv),
    [],
    '[]',
    'commands that it may not match; looked at when the file loads',
  ),
} satisfies Keys;

const workspaceKeys = {
  path: required(anyText, 'folder of the repository; never your home or what holds it, nor what is the node’s own'),
  ready: defaulted(
    integer(0, 16),
    1,
    '1',
    'clones that are made ahead, from the first task on, so that the next one does not wait for its own',
  ),
} satisfies Keys;

const storageKeys = {
  budget: defaulted(
    size,
    10 * GIB,
    '10GiB',
    'room for clones that are kept or made ahead; the oldest go first, and work that is kept nowhere else never',
  ),
  done: optional(duration, 'how long the clone of a completed task is kept; left out: not at all'),
  failed: defaulted(duration, DAY_MS, '24h', 'how long that of a task is kept that ended in another way'),
  orphaned: defaulted(duration, DAY_MS, '24h', 'how long that of a task is kept whose node stopped while it ran'),
  transcripts: optional(
    duration,
    'how long this node keeps the output of tasks that it ran, once whoever asked for them has it; left out: as long as the tasks',
  ),
  keep_tasks: defaulted(
    keptDuration,
    90 * DAY_MS,
    '90d',
    'how long tasks that are over are kept, with events, output and evidence, where they ran and where they were asked for; longer where somebody may still ask for them; a shorter time waits for a yes',
  ),
} satisfies Keys;

const upstreamKeys = {
  command: optional(argv, 'program and arguments of an MCP server on standard input and output'),
  url: optional(anyText, 'address of an MCP server over HTTP'),
  env: defaulted(variables, [], '[]', 'environment variables that pass to it'),
  session_argument: optional(anyText, 'argument that carries the session, in a copy of the call'),
  agents: defaulted(texts, [], '[]', 'its tools that agents of this node may call; `"*"`: all'),
  tasks: defaulted(texts, [], '[]', 'its tools that tasks may call that run here under one of `profiles`; `"*"`: all'),
  profiles: defaulted(listOf(name), [], '[]', 'profiles whose tasks may call them'),
} satisfies Keys;

/** Any number, so that what a later version of Writ wrote is called that; whoever left it out reads the one that is current. */
const schemaVersion: Reader<number> = { ...integer(0, 1_000_000), type: '1' };

/** Everything that `writ.toml` may say: the one place that checks, defaults and documentation come from. */
export const CONFIG_KEYS = {
  schema: required(schemaVersion, 'version of this file'),
  node: required(
    table({
      name: required(name, 'label of this node'),
      listen: optional(
        listenAddress,
        'where peers connect; left out: this node only dials out; another one takes a yes and a restart',
      ),
      default_profile: optional(placed(name), 'profile of requests that name none; may not require explicit naming'),
      max_chain: defaulted(integer(1, 64), 8, '8', 'longest chain of nodes that a request may have'),
    }),
    'this node',
  ),
  gateway: optional(
    table({
      listen: optional(
        loopbackAddress,
        'MCP and events over HTTP, for this machine only; another one takes a yes and a restart',
      ),
    }),
    'what this machine touches',
  ),
  telemetry: optional(
    table({
      traces: optional(
        traceAddress,
        'URL of a collector that takes OTLP over HTTP as JSON, such as `http://127.0.0.1:4318/v1/traces`; another one takes a yes and a restart',
      ),
      metrics: optional(
        loopbackAddress,
        'where metrics are read, for this machine only; another one takes a yes and a restart',
      ),
    }),
    'traces and metrics; what is left out is not collected',
  ),
  approvals: optional(
    table({
      mode: defaulted(
        oneOf('passphrase', 'terminal'),
        'passphrase',
        'passphrase',
        'how the approver proves itself: a key under a passphrase, or (unseparated) that there is a terminal',
      ),
      fallback: defaulted(oneOf('deny'), 'deny', 'deny', 'the answer where nobody can be asked'),
      max_pending: defaulted(
        integer(1, 10_000),
        8,
        '8',
        'open questions that one peer or session may cause, and all calls without a session together; a task half as many',
      ),
    }),
    'questions to a person',
  ),
  leases: optional(
    table({ max: defaulted(duration, DAY_MS, '24h', 'longest that a lease may be lent for') }),
    'time-limited grants',
  ),
  storage: optional(table(storageKeys), 'what is kept on the disk, and how long'),
  workspaces: optional(named(table(workspaceKeys)), 'repositories offered'),
  profiles: optional(named(table(profileKeys)), 'what can be asked for'),
  runners: optional(named(table(runnerKeys)), 'what does the work'),
  profile_ceilings: optional(named(placed(name)), 'profile = the profile that it is cut down to, for everybody'),
  peers: optional(named(table(peerKeys)), 'other nodes, pinned by identity'),
  self: optional(table(subjectKeys), "rules for this machine's own agent"),
  origins: optional(
    named(table({ id: required(placed(nodeId), 'identity of a node that is no peer') })),
    'nodes that work may start at',
  ),
  commands: optional(tables(commandKeys), 'more rules that classify commands; the strictest match wins'),
  upstreams: optional(named(table(upstreamKeys)), 'MCP servers that are offered through this node'),
  tests: optional(tables(testKeys), 'run at every load; one that fails rejects the load'),
} satisfies Keys;

/** A configuration as written, defaults filled in; parts that were refused are missing. */
export type Document = TableOf<typeof CONFIG_KEYS>;
export type ProfileDocument = TableOf<typeof profileKeys>;
export type SubjectDocument = TableOf<typeof subjectKeys>;
export type PeerDocument = TableOf<typeof peerKeys>;
export type TestDocument = TableOf<typeof testKeys>;
export type CommandDocument = TableOf<typeof commandKeys>;

/** Reads the whole document. */
export const documentReader: Reader<Document> = table(CONFIG_KEYS);

/** Reads one profile, for what is asked about without a file. */
export const profileReader: Reader<ProfileDocument> = table(profileKeys);
