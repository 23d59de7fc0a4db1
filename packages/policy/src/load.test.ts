import { describe, expect, it } from 'vitest';
import { compileConfig, formatViolations, testConfig } from './compile.ts';
import { stockConfig } from './stock.ts';
import { BASE, load } from './testing/fixtures.ts';
import { testId } from './testing/testing.ts';
import { validateProfile } from './validate-profile.ts';

/** `CODE path` of everything that is wrong with a text, in order. */
function wrong(text: string): readonly string[] {
  const result = compileConfig(text);
  return result.ok ? [] : result.violations.map(({ code, path }) => `${code} ${path}`);
}

function withLines(...lines: readonly string[]): string {
  return `${BASE}${lines.join('\n')}\n`;
}

describe('loading', () => {
  it('reports all at once, in the order of the file, each with its place and what to write', () => {
    const text = BASE.replace('max_depth = 2', 'max_dept = 2')
      .replace('"inspect_logs"', '"inspect_log"')
      .replace('runner = "fixer"', 'runner = "fixr"')
      .replace('require_lease = true', 'require_lease = "yes"')
      .replace('max_concurrent = 2', 'max_concurrent = 0');
    const result = compileConfig(text);
    const lines = result.ok ? [] : formatViolations(result.violations).split('\n');
    expect(lines).toEqual([
      'line 10, column 35: profiles.query.capabilities[1]: unknown capability `inspect_log`, write `inspect_logs` (UNKNOWN_CAPABILITY)',
      expect.stringMatching(/^line 13, .*write `require_lease = true` \(HIGH_RISK_NEEDS_LEASE\)$/),
      expect.stringMatching(/^line 18, .*profiles\.repo-dev\.require_lease.*write true or false/),
      expect.stringMatching(/^line 23, .*no runner `fixr`, write `fixer` \(UNKNOWN_RUNNER\)$/),
      expect.stringMatching(/^line 36, .*unknown key `max_dept`, write `max_depth` \(UNKNOWN_KEY\)$/),
      expect.stringMatching(/^line 45, .*write a whole number from 1 to/),
    ]);
  });

  it('says where the text is no TOML', () => {
    const result = compileConfig('schema = 1\n[node\nname = "x"\n');
    expect(result).toMatchObject({ ok: false, violations: [{ code: 'TOML_SYNTAX', position: { line: 2 } }] });
  });

  it('refuses a schema that it does not know', () => {
    expect(wrong(BASE.replace('schema = 1', 'schema = 2'))).toEqual(['SCHEMA_VERSION schema']);
    expect(wrong(BASE.replace('schema = 1\n', ''))).toEqual(['BAD_VALUE schema']);
  });

  it('keeps tasks for thirty days at least', () => {
    const kept = (span: string): string => withLines('[storage]', `keep_tasks = "${span}"`);
    expect(wrong(kept('719h'))).toEqual(['BAD_VALUE storage.keep_tasks']);
    expect(wrong(kept('30d'))).toEqual([]);
  });

  it.each([
    [
      'a runner of no known kind',
      withLines('[runners.x]', 'kind = "gemini"', 'argv = ["x", "{prompt}"]'),
      'BAD_VALUE runners.x.kind',
    ],
    ['a command without a program', withLines('[runners.x]', 'kind = "command"'), 'BAD_VALUE runners.x.argv'],
    ['an acp agent without a program', withLines('[runners.x]', 'kind = "acp"'), 'BAD_VALUE runners.x.argv'],
    [
      'an acp agent that would get the prompt twice',
      withLines('[runners.x]', 'kind = "acp"', 'argv = ["x", "{prompt}"]'),
      'BAD_VALUE runners.x.argv',
    ],
    [
      'an agent with a template of its own that would get the prompt twice',
      withLines('[runners.x]', 'kind = "codex"', 'argv = ["codex", "{prompt}"]'),
      'BAD_VALUE runners.x.argv',
    ],
    ['an empty program', withLines('[runners.x]', 'kind = "claude"', 'argv = []'), 'BAD_VALUE runners.x.argv'],
    [
      'a template without the prompt',
      withLines('[runners.x]', 'kind = "command"', 'argv = ["x"]'),
      'BAD_VALUE runners.x.argv',
    ],
    [
      'a prompt in place of the program',
      withLines('[runners.x]', 'kind = "command"', 'argv = ["{prompt}"]'),
      'BAD_VALUE runners.x.argv',
    ],
    [
      'the name of the built-in runner',
      withLines('[runners.shell]', 'kind = "command"', 'argv = ["x", "{prompt}"]'),
      'NAME_CONFLICT runners.shell',
    ],
    ['a peer called self', withLines('[peers.self]', `id = "${testId('x')}"`), 'BAD_NAME peers.self'],
    [
      'two labels of one identity',
      withLines('[peers.x]', `id = "${testId('desk').toUpperCase()}"`),
      'NAME_CONFLICT peers.x.id',
    ],
    ['an id that is none', withLines('[peers.x]', 'id = "laptop"'), 'BAD_VALUE peers.x.id'],
    ['an id with a look-alike letter', withLines('[peers.x]', 'id = "wn-\u212akkkkkkkkkkkkk"'), 'BAD_VALUE peers.x.id'],
    [
      'an address without a port',
      withLines('[peers.x]', `id = "${testId('x')}"`, 'address = "x"'),
      'BAD_VALUE peers.x.address',
    ],
    ['an unknown workspace', withLines('[self]', 'workspaces = ["ap"]'), 'UNKNOWN_WORKSPACE self.workspaces[0]'],
    [
      'an origin that is nobody',
      withLines('[self]', 'accept_origins = ["nobody"]'),
      'BAD_VALUE self.accept_origins[0]',
    ],
    ['an origin that is a peer', withLines('[origins.desk]', `id = "${testId('x')}"`), 'NAME_CONFLICT origins.desk'],
    [
      'a name in another alphabet',
      withLines('[profiles."квери"]', 'capabilities = []', 'runner = "shell"'),
      'BAD_NAME profiles."квери"',
    ],
    [
      'an open pattern in the middle',
      BASE.replace('[["true"]]', '[["git", "**", "x"]]'),
      'BAD_VALUE profiles.query.commands[0]',
    ],
    ['a pattern for any program', BASE.replace('[["true"]]', '[["**"]]'), 'BAD_VALUE profiles.query.commands[0]'],
    ...[
      [['*', '**']],
      [['*']],
      [['sh', '-c', '*']],
      [['env', '**']],
      [['git', '**']],
      [['node', '**']],
      [['date', '**']],
      [['hostname', '*']],
      [['./echo', '**']],
      [['Echo', '**']],
    ].map((patterns): [string, string, string] => [
      `a shell by another name: ${patterns.join(' ')}`,
      BASE.replace('[["true"]]', JSON.stringify(patterns)),
      'BAD_VALUE profiles.query.commands[0]',
    ]),
    [
      'a pattern for any program where tests may be run',
      BASE.replace('shell = "allow"\nrunner', 'commands = [["make"], ["*", "**"]]\nrunner'),
      'BAD_VALUE profiles.repo-dev.commands[1]',
    ],
    [
      'a duration without a unit',
      BASE.replace('commands =', 'timeout = "30"\ncommands ='),
      'BAD_VALUE profiles.query.timeout',
    ],
    ['a number in quotes', BASE.replace('max_depth = 2', 'max_depth = "2"'), 'BAD_VALUE peers.laptop.max_depth'],
    ['a list where a table belongs', withLines('[self]', 'limits = []'), 'BAD_VALUE self.limits'],
    ['a default that is not defined', BASE.replace('= "query"', '= "qery"'), 'UNKNOWN_PROFILE node.default_profile'],
    [
      'a ceiling onto itself',
      withLines('[peers.desk.profile_ceilings]', 'query = "query"'),
      'CEILING_CYCLE peers.desk.profile_ceilings.query',
    ],
    [
      'an example that its rule misses',
      withLines('[[commands]]', 'match = ["x", "*"]', 'class = "read"', 'examples = [["x"]]'),
      'EXAMPLE_FAILED commands[0].examples[0]',
    ],
    [
      'a counter-example that it matches',
      withLines('[[commands]]', 'match = ["x", "**"]', 'class = "read"', 'not_examples = [["x"]]'),
      'EXAMPLE_FAILED commands[0].not_examples[0]',
    ],
    [
      'a rule about any program',
      withLines('[[commands]]', 'match = ["*", "x"]', 'class = "read"'),
      'BAD_VALUE commands[0].match',
    ],
    [
      'a rule about a program without a name',
      withLines('[[commands]]', 'match = [""]', 'class = "read"'),
      'BAD_VALUE commands[0].match',
    ],
    [
      'a rule with a zero byte',
      withLines('[[commands]]', 'match = ["a", "b\\u0000"]', 'class = "read"'),
      'BAD_VALUE commands[0].match',
    ],
    [
      'a target behind the end of its pattern',
      withLines('[[commands]]', 'match = ["x", "*"]', 'class = "read"', 'target = 2'),
      'BAD_VALUE commands[0].target',
    ],
    [
      'an upstream that is two things',
      withLines('[upstreams.x]', 'url = "http://x"', 'command = ["x"]'),
      'BAD_VALUE upstreams.x.command',
    ],
    [
      'an upstream that is started as nothing',
      withLines('[upstreams.x]', 'command = []'),
      'BAD_VALUE upstreams.x.command',
    ],
    [
      'an upstream that is started as a program without a name',
      withLines('[upstreams.x]', 'command = ["", "x"]'),
      'BAD_VALUE upstreams.x.command',
    ],
    [
      'an upstream over something else than HTTP',
      withLines('[upstreams.x]', 'url = "ftp://x/"'),
      'BAD_VALUE upstreams.x.url',
    ],
    [
      'a value where a variable is named',
      withLines('[upstreams.x]', 'command = ["x"]', 'env = ["A", "B=secret"]'),
      'BAD_VALUE upstreams.x.env[1]',
    ],
    [
      'an upstream whose tools could not be told from another’s',
      withLines('[upstreams.a__b]', 'command = ["x"]'),
      'BAD_NAME upstreams.a__b',
    ],
    [
      'an upstream whose name runs into that of its tools',
      withLines('[upstreams.a_]', 'command = ["x"]'),
      'BAD_NAME upstreams.a_',
    ],
    [
      'an outcome that cannot be',
      withLines('[[tests]]', 'from = "desk"', 'expect = "maybe"'),
      'BAD_VALUE tests[0].expect',
    ],
  ])('refuses %s', (_, text, violation) => {
    expect(wrong(text)).toEqual([violation]);
  });

  it.each([
    ['the URL of an upstream', withLines('[upstreams.x]', 'url = "http://user:s3cret@127.0.0.1:9/mcp?key=s3cret"')],
    ['a URL that is none', withLines('[upstreams.x]', 'url = "http://user:s3/cret@127.0.0.1:9/mcp"')],
    ['the URL of a collector', withLines('[telemetry]', 'traces = "http://user:s3cret@127.0.0.1:9/"')],
    ['the value of a variable', withLines('[upstreams.x]', 'command = ["x"]', 'env = ["KEY=s3cret"]')],
  ])('says what to write instead of a secret in %s, and repeats nothing of it', (_, text) => {
    const compiled = compileConfig(text);
    const said = JSON.stringify(compiled.ok ? undefined : compiled.violations);
    expect(said).toMatch(/, write /);
    expect(said).not.toMatch(/s3|cret/);
  });

  it('takes names of secrets as variables are called, and refuses what cannot be the name of a file, without repeating it', () => {
    const withName = (name: string) =>
      compileConfig(
        withLines('[profiles.x]', 'runner = "shell"', 'capabilities = ["read_repo"]', `secrets = ["${name}"]`),
      );
    expect(withName('NPM_TOKEN').ok).toBe(true);
    for (const name of ['../hunter2', 'hunter2/x', '.hunter2', 'hunter2 x']) {
      const compiled = withName(name);
      const [violation] = compiled.ok ? [] : compiled.violations;
      expect(violation).toMatchObject({ code: 'BAD_VALUE', path: 'profiles.x.secrets[0]' });
      expect(violation?.message).toMatch(/is no name, write the name of a file alone/);
      expect(violation?.message).not.toContain('hunter2');
    }
  });

  it('refuses a ceiling that is wider in network, time, output or isolation, at equal rank', () => {
    const outer =
      '[profiles.outer]\ncapabilities = ["use_network"]\nnetwork = ["a:1"]\nrequire_explicit = true\nrequire_lease = true\nrunner = "shell"\n';
    for (const line of [
      'network = ["a:1", "b:1"]',
      'network = "allow"',
      'timeout = "31m"',
      'max_output = "9MiB"',
      'isolation = "none"',
    ]) {
      const inner = outer
        .replace('outer', 'inner')
        .replace(line.startsWith('network') ? 'network = ["a:1"]' : 'none', line);
      const text = `schema = 1\n[node]\nname = "x"\n${outer}${inner}${line.startsWith('network') ? '' : line}\n[profile_ceilings]\nouter = "inner"\n`;
      expect(wrong(text)).toEqual(['CEILING_WIDENS profile_ceilings.outer']);
    }
  });

  it.each([
    ['a command that is written out', BASE.replace('[["true"]]', '[["sh", "-c", "echo *"], ["git", "log", "-1"]]')],
    [
      'free arguments of what only prints',
      BASE.replace('[["true"]]', '[["echo", "**"], ["uname", "*"], ["df", "**"]]'),
    ],
    [
      'free arguments where tests may be run, which takes both flags',
      BASE.replace('shell = "allow"\nrunner', 'commands = [["npm", "**"], ["sh", "-c", "*"]]\nrunner'),
    ],
    ['free arguments where a shell is allowed', BASE.replace('"run_tests"]', '"edit_repo"]\ncommands = [["x", "*"]]')],
  ])('takes %s', (_, text) => {
    expect(wrong(text)).toEqual([]);
  });

  it('says what to write in place of free arguments', () => {
    const result = compileConfig(BASE.replace('[["true"]]', '[["true"], ["npm", "**"]]'));
    const [violation] = result.ok ? [] : result.violations;
    expect(violation?.position?.line).toBe(BASE.split('\n').findIndex((line) => line.startsWith('commands')) + 1);
    expect(violation?.message).toMatch(/`npm` may run anything; write the arguments out, or add "run_tests"/);
  });

  it('refuses an id that is mistyped, as a node does', () => {
    const id = testId('desk');
    const mistyped = id.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    expect(wrong(BASE.replace(id, mistyped))).toEqual(['BAD_VALUE peers.desk.id']);
    expect(wrong(withLines('[origins.far]', `id = "${mistyped}"`))).toEqual(['BAD_VALUE origins.far.id']);
  });

  it('takes names in any letter case, and `claims` for `capabilities`, which it reports', () => {
    const text = BASE.replace(
      'capabilities = ["inspect_status", "inspect_logs"]',
      'capabilities = ["inspect_status"]\nclaims = ["inspect_logs"]',
    );
    const policy = load(
      text.replace('[peers.desk]', '[peers.DESK]').replace('[peers.desk.limits]', '[peers.DESK.limits]'),
    );
    expect(policy.config.profiles.get('query')?.closure).toEqual(['inspect_logs', 'inspect_status']);
    expect(policy.config.peers.get('desk')?.limits).toEqual({ maxConcurrent: 2 });
    expect(policy.deprecations).toEqual([
      {
        path: 'profiles.query.claims',
        position: { line: 11, column: 1 },
        message: expect.stringContaining('capabilities'),
      },
    ]);
  });

  it.each([
    ['profile = "query"', 'allow', true],
    ['profile = "query"', 'allow:query', true],
    ['profile = "query"', 'allow:query/shell', true],
    ['profile = "query"', 'allow:query/fixer', false],
    ['profile = "query"', 'allow:repo-dev', false],
    ['profile = "query"', 'deny:PROFILE_UNKNOWN', false],
    ['profile = "nothing"', 'allow', false],
    ['profile = "nothing"', 'deny:PROFILE_UNKNOWN', true],
    ['profile = "query"\nrunner = "fixer"', 'deny:RUNNER_NOT_ALLOWED', true],
    ['profile = "query"\nrunner = "shell"', 'allow', true],
    ['profile = "query"\ninput = "prompt"', 'deny:RUNNER_NOT_ALLOWED', true],
    ['profile = "query"\ninput = "argv"', 'allow', true],
    ['profile = "query"\nworkspace = "site"', 'deny:WORKSPACE_NOT_ALLOWED', true],
    ['profile = "repo-dev"\nworkspace = "app"', 'deny:LEASE_REQUIRED', true],
    ['profile = "repo-dev"\nworkspace = "app"\nlease = true', 'allow:repo-dev', true],
    ['profile = "query"\nchain = ["desk", "laptop"]', 'deny:ORIGIN_NOT_ACCEPTED', true],
    ['profile = "query"\nchain = ["self", "laptop"]', 'deny:CHAIN_CYCLE', true],
  ])('holds a test against what is decided: %j is %s: %s', (asked, outcome, isRight) => {
    const report = testConfig(withLines('[[tests]]', 'from = "laptop"', asked, `expect = "${outcome}"`));
    expect(report.ok && report.results.map(({ ok }) => ok)).toEqual([isRight]);
  });

  it('runs tests one by one for those who ask', () => {
    const text = withLines(
      '[[tests]]',
      'from = "desk"',
      'profile = "query"',
      'expect = "allow:query"',
      '[[tests]]',
      'from = "desk"',
      'profile = "x"',
      'expect = "allow"',
    );
    const report = testConfig(text);
    expect(report).toMatchObject({
      ok: true,
      results: [
        { name: 'desk query', ok: true, got: 'allow:query/shell' },
        {
          name: 'desk x',
          ok: false,
          expected: 'allow',
          got: 'deny:PROFILE_UNKNOWN',
          line: text.split('\n').lastIndexOf('[[tests]]') + 1,
        },
      ],
    });
    expect(wrong(text)).toEqual(['TEST_FAILED tests[1]']);
  });
});

/** What the documentation shows of a whole configuration. */
const EXAMPLE = `schema = 1

[node]
name = "gpu-box"
listen = "0.0.0.0:7420"
default_profile = "query"
[gateway]
listen = "127.0.0.1:7421"
[approvals]
mode = "passphrase"

[workspaces.app]
path = "~/src/app"

[profiles.query]
capabilities = ["inspect_status", "inspect_logs"]
runner = "shell"

[profiles.repo-dev]
capabilities = ["read_repo", "edit_repo", "run_tests"]
shell = "allow"
network = ["packages.example:443"]
runner = "fixer"
require_explicit = true
require_lease = true
timeout = "30m"
max_output = "8MiB"

[profiles.system-change]
capabilities = ["read_repo", "edit_repo", "run_tests", "use_network", "install_packages", "manage_services"]
shell = "allow"
network = "allow"
runner = "shell"
require_explicit = true
require_lease = true

[runners.fixer]
kind = "command"
argv = ["my-agent", "{prompt}"]

[profile_ceilings]
system-change = "repo-dev"

[peers.laptop]
id = "${testId('laptop')}"
address = "laptop.lan:7420"
profiles = ["query", "repo-dev", "system-change"]
workspaces = ["app"]
max_depth = 2
may_request_lease = true
[peers.laptop.outbound]
profiles = ["query", "repo-dev"]
workspaces = ["app"]
ship = false
[peers.laptop.profile_ceilings]
repo-dev = "query"
[peers.laptop.limits]
max_concurrent = 4
tasks_per_hour = 60

[[tests]]
from = "laptop"
profile = "system-change"
lease = true
expect = "allow:query"
`;

describe('a whole configuration', () => {
  it('loads, its own test holds, and it comes to what it says', () => {
    const { config } = load(EXAMPLE);
    expect(config.node).toEqual({ name: 'gpu-box', listen: '0.0.0.0:7420', defaultProfile: 'query', maxChain: 8 });
    expect([...config.profiles.values()].map(({ rank }) => rank)).toEqual([0, 2, 4]);
    expect(config.profiles.get('repo-dev')).toMatchObject({ network: ['packages.example:443'], timeoutMs: 1_800_000 });
    expect(config.peers.get('laptop')).toMatchObject({
      maxDepth: 2,
      mayRequestLease: true,
      ceilings: { 'repo-dev': 'query' },
      limits: { maxConcurrent: 4, tasksPerHour: 60 },
    });
  });
});

describe('the stock configuration', () => {
  it.each(['none', 'required'] as const)('loads with isolation %s, and offers the ladder of five', (isolation) => {
    const workspaces = [{ name: 'app.x', path: '/srv/"app"' }];
    const { config } = load(stockConfig({ nodeName: 'box', listen: '127.0.0.1:0', workspaces, isolation }));
    expect([...config.profiles.values()].map(({ name, rank }) => `${name} ${rank}`)).toEqual([
      'query 0',
      'readonly-agent 1',
      'repo-dev 2',
      'interactive 3',
      'system-change 4',
    ]);
    for (const profile of config.profiles.values()) {
      expect(profile.isolation).toBe(['query', 'system-change'].includes(profile.name) ? 'none' : isolation);
      expect(profile.requireLease).toBe(profile.rank >= 2);
    }
    expect(config.peers.size).toBe(0);
    expect(config.workspaces.get('app.x')?.path).toBe('/srv/"app"');
  });

  it('loads without workspaces and without an address', () => {
    const { config } = load(stockConfig({ nodeName: 'box', workspaces: [], isolation: 'none' }));
    expect(config.node.listen).toBeUndefined();
  });
});

describe('a profile that is asked about', () => {
  it('is held against the rules of loading', () => {
    const codes = (question: Parameters<typeof validateProfile>[0]) =>
      validateProfile(question).violations.map(({ code }) => code);
    const flags = { requireExplicit: true, requireLease: true };
    const none = { requireExplicit: false, requireLease: false };
    expect(codes({ name: 'x', capabilities: ['edit_repo'], ...flags })).toEqual([]);
    expect(codes({ name: 'x', capabilities: ['edit_repo'], ...none })).toEqual([
      'HIGH_RISK_NEEDS_EXPLICIT',
      'HIGH_RISK_NEEDS_LEASE',
    ]);
    expect(codes({ name: 'x', claims: ['edit_repo'], ...none })).toEqual([
      'HIGH_RISK_NEEDS_EXPLICIT',
      'HIGH_RISK_NEEDS_LEASE',
    ]);
    expect(codes({ name: 'x', capabilities: ['read_repo'], shell: 'allow', ...none })).toHaveLength(2);
    expect(codes({ name: 'x y', capabilities: ['read_repo'], ...none })).toEqual(['BAD_NAME']);
    expect(codes({ name: 'x', capabilities: ['edit_repo'], rank: 1, ...flags })).toEqual(['RANK_TOO_LOW']);
    expect(codes({ name: 'x', capabilities: ['fly'], network: 'some', ...none })).toEqual([
      'BAD_VALUE',
      'UNKNOWN_CAPABILITY',
    ]);
  });

  it('is told what a name is, where it has none', () => {
    const flags = { requireExplicit: false, requireLease: false };
    expect(validateProfile({ name: 'a b', capabilities: ['inspect_disk'], rank: 1, ...flags })).toEqual({
      violations: [
        {
          code: 'BAD_NAME',
          path: 'name',
          message: '`a b` is no name, write 1 to 64 of a-z, 0-9, `.`, `_` and `-`, starting with a letter or digit',
        },
      ],
      deprecations: [],
      rank: 1,
      closure: ['inspect_disk'],
    });
    const wide = validateProfile({ name: 'X', capabilities: [], shell: 'allow', network: ['a:1'], ...flags });
    expect(wide.violations.map(({ path }) => path)).toEqual(['profiles.x', 'profiles.x']);
    expect(wide.closure).toContain('use_network');
  });

  it('comes with what it amounts to', () => {
    const answer = validateProfile({ name: 'x', claims: ['push_repo'], requireExplicit: true, requireLease: true });
    expect(answer).toMatchObject({ rank: 3, closure: ['push_repo'], deprecations: [{ path: 'profiles.x.claims' }] });
  });
});
