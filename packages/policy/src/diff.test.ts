import { describe, expect, it } from 'vitest';
import { diffPolicies } from './diff.ts';
import { BASE, load } from './testing/fixtures.ts';
import { testId } from './testing/testing.ts';

const FROM = load(BASE).config;

function diff(text: string): { readonly gains: readonly string[]; readonly loses: readonly string[] } {
  const changes = diffPolicies(FROM, load(text).config);
  const lines = (effect: string) =>
    changes.filter((one) => one.effect === effect).map(({ subject, what }) => `${subject}: ${what}`);
  return { gains: lines('gains'), loses: lines('loses') };
}

const replaced = (from: string, to: string): string => {
  expect(BASE).toContain(from);
  return BASE.replace(from, to);
};

const ALL = 'profiles = ["query", "repo-dev", "system-change"]';

/** Each widens one thing; read the other way round it takes the same away. */
const WIDER: readonly [string, string, string][] = [
  [
    'a profile',
    replaced(ALL, ALL).replace(
      'workspaces = ["app"]\n[peers.desk.limits]',
      'workspaces = ["app", "site"]\n[peers.desk.limits]',
    ),
    'desk: may use workspace site',
  ],
  ['a depth', replaced('max_depth = 2', 'max_depth = 3'), 'laptop: work may go on for 3 hops'],
  ['a limit raised', replaced('max_concurrent = 2', 'max_concurrent = 3'), 'desk: may have 3 tasks at once'],
  [
    'a limit taken out',
    replaced('[peers.desk.limits]\nmax_concurrent = 2\n', ''),
    'desk: may have any number of tasks at once',
  ],
  [
    'asking for leases',
    replaced('max_depth = 2', 'max_depth = 2\nmay_request_lease = true'),
    'laptop: may ask for a lease',
  ],
  [
    'an origin',
    replaced('max_depth = 2', 'max_depth = 2\naccept_origins = ["desk"]'),
    `laptop: work that began at desk (${testId('desk')}) may come through it`,
  ],
  [
    'shipping',
    replaced('[peers.laptop.outbound]', '[peers.laptop.outbound]\nship = true'),
    'laptop: agents here may send it a working tree',
  ],
  ['a command', replaced('[["true"]]', '[["true"], ["id"]]'), 'laptop: profile query: may run id'],
  ['a longer run', replaced('commands = ', 'timeout = "31m"\ncommands = '), 'laptop: profile query: may run for 31m'],
  [
    'no isolation',
    replaced('commands = ', 'isolation = "none"\ncommands = '),
    'desk: profile query: runs without isolation',
  ],
  [
    'a capability',
    replaced('"inspect_logs"]', '"inspect_logs", "inspect_disk"]'),
    'desk: profile query: holds inspect_disk',
  ],
  ['a secret', replaced('commands = ', 'secrets = ["k"]\ncommands = '), 'desk: profile query: has the secret k'],
  [
    'a ceiling gone',
    replaced('system-change = "repo-dev"\n', ''),
    'laptop: profile system-change: runs on fixer (command: fix {prompt})',
  ],
  ['a longer chain', replaced('default_profile', 'max_chain = 9\ndefault_profile'), 'node: takes chains of 9 nodes'],
  ['longer leases', `${BASE}[leases]\nmax = "25h"\n`, 'node: lends leases for 1d1h'],
  [
    'another approver',
    `${BASE}[approvals]\nmode = "terminal"\n`,
    'node: whoever has a terminal and the host secret is the approver',
  ],
  ['traces', `${BASE}[telemetry]\ntraces = "http://x/v1/traces"\n`, 'node: sends traces to `http://x/v1/traces`'],
  ['an upstream', `${BASE}[upstreams.x]\nurl = "http://x"\n`, 'node: offers the tools of x: at http://x'],
  [
    'a command that is known',
    `${BASE}[[commands]]\nmatch = ["setarch", "**"]\nclass = "read"\n`,
    'node: a rule knows setarch ** as read, which needs nothing',
  ],
  ['rules of its own', `${BASE}[self]\nprofiles = ["query"]\n`, 'self: may ask for profile query'],
];

describe('the difference of two policies', () => {
  it('is empty for the same one, also where it is written in another way', () => {
    expect(diff(`# hello\n${BASE}`)).toEqual({ gains: [], loses: [] });
    expect(diff(replaced(ALL, 'profiles = ["system-change", "query", "repo-dev", "query"]'))).toEqual({
      gains: [],
      loses: [],
    });
  });

  it.each(WIDER)('sees what somebody gains and loses by %s', (_, text, what) => {
    expect(diff(text).gains).toContain(what);
    const back = diffPolicies(load(text).config, FROM);
    expect(back.map(({ subject, effect, what: lost }) => `${effect} ${subject}: ${lost}`)).toContain(`loses ${what}`);
  });

  it('is about identities: a label with another id is another peer', () => {
    const { gains, loses } = diff(BASE.replaceAll(testId('desk'), testId('other')));
    expect(gains).toContain(`desk: is a peer: ${testId('other')}`);
    expect(loses).toContain(`desk: is a peer: ${testId('desk')}`);
    expect(diff(BASE.replaceAll('peers.desk', 'peers.table'))).toEqual({ gains: [], loses: [] });
  });

  it('sees that a peer is switched off and on', () => {
    const off = replaced('max_depth = 2', 'max_depth = 2\nenabled = false');
    expect(diff(off)).toMatchObject({
      gains: [],
      loses: expect.arrayContaining([`laptop: is switched on: ${testId('laptop')}`]),
    });
  });

  it('names who is behind the label of an origin, and sees that it is somebody else', () => {
    const far = (id: string) =>
      `${replaced('max_depth = 2', 'max_depth = 2\naccept_origins = ["far"]')}[origins.far]\nid = "${testId(id)}"\n`;
    const line = (id: string) => `laptop: work that began at far (${testId(id)}) may come through it`;
    expect(diff(far('one')).gains).toEqual([line('one')]);
    const moved = diffPolicies(load(far('one')).config, load(far('two')).config);
    expect(moved.map(({ subject, effect, what }) => `${effect} ${subject}: ${what}`)).toEqual([
      `gains ${line('two')}`,
      `loses ${line('one')}`,
    ]);
  });

  it('names who is entered switched off', () => {
    const off = `${BASE}[peers.off]\nid = "${testId('off')}"\nenabled = false\n`;
    expect(diff(off).gains).toEqual([`off: is a peer, switched off: ${testId('off')}`]);
  });

  it('tells the limits of a new peer, and of one that is switched on', () => {
    const peer = (more: string, limits = '') =>
      load(`${BASE}[peers.off]\nid = "${testId('off')}"\n${more}${limits}`).config;
    const limits = '[peers.off.limits]\nmax_concurrent = 1\n';
    for (const before of [FROM, peer('enabled = false\n', limits)]) {
      const whats = (after: typeof FROM) => diffPolicies(before, after).map(({ what }) => what);
      expect(whats(peer('', limits))).toEqual(expect.arrayContaining(['may have 1 tasks at once']));
      expect(whats(peer('')).filter((what) => what.startsWith('may '))).toEqual([]);
    }
  });

  it('tells that labels change places, which gives what names them to another', () => {
    const peers = (first: string, second: string) =>
      load(`${BASE}[peers.one]\nid = "${testId(first)}"\n[peers.two]\nid = "${testId(second)}"\n`).config;
    expect(diffPolicies(peers('x', 'y'), peers('y', 'x'))).toEqual([
      { subject: 'one', effect: 'gains', what: `is the name of ${testId('y')}, which was two` },
      { subject: 'two', effect: 'gains', what: `is the name of ${testId('x')}, which was one` },
    ]);
  });

  it('sees the kind of a runner', () => {
    const open = BASE.replace('[profile_ceilings]\nsystem-change = "repo-dev"\n', '');
    const written = 'kind = "command"\nargv = ["fix", "{prompt}"]';
    expect(open).toContain(written);
    const other = load(open.replace(written, 'kind = "acp"\nargv = ["fix"]')).config;
    expect(diffPolicies(load(open).config, other).map(({ what }) => what)).toContain(
      'profile system-change: runs on fixer (acp: fix)',
    );
  });

  it('sees a runner and a folder behind the same name', () => {
    expect(diff(replaced('path = "site"', 'path = "/etc"'))).toEqual({ gains: [], loses: [] });
    expect(diff(replaced('path = "."', 'path = "/etc"')).gains).toContain('laptop: workspace app is the folder /etc');
    const open = BASE.replace('[profile_ceilings]\nsystem-change = "repo-dev"\n', '');
    const other = open.replace('["fix", ', '["evil", ');
    const changes = diffPolicies(load(open).config, load(other).config);
    expect(changes).toContainEqual({
      subject: 'laptop',
      effect: 'gains',
      what: 'profile system-change: runs on fixer (command: evil {prompt})',
    });
  });

  it('counts a default profile for those who named none', () => {
    const without = BASE.replace('default_profile = "query"\n', '');
    const changes = diffPolicies(load(without).config, FROM);
    expect(changes).toEqual([{ subject: 'node', effect: 'gains', what: 'requests that name no profile get query' }]);
  });
});

describe('what somebody can name now', () => {
  const NEW = `${BASE}[self]
profiles = ["opz"]
workspaces = ["site"]
[profiles.opz]
require_explicit = true
require_lease = true
runner = "shell"
capabilities = ["destructive", "use_network"]
shell = "allow"
network = "allow"
isolation = "none"
secrets = ["prod"]
`;

  it('is told whole and once, so that a yes to a name is a yes to what it stands for', () => {
    const { gains } = diff(NEW);
    expect(gains).toEqual(
      expect.arrayContaining([
        'self: may ask for profile opz',
        'profile opz: reaches the network allow',
        'profile opz: runs without isolation',
        'profile opz: has the secret prod',
      ]),
    );
    expect(gains.find((line) => line.startsWith('profile opz: holds'))).toMatch(/destructive.*shell/);
    expect(gains.some((line) => line.startsWith('workspace site: is the folder '))).toBe(true);
    expect(new Set(gains).size).toBe(gains.length);
  });

  it('is not told where nobody can name it', () => {
    expect(
      diff(NEW.replace('profiles = ["opz"]', 'profiles = []')).gains.filter((line) => line.includes('opz')),
    ).toEqual([]);
  });
});

describe('rules for commands', () => {
  const rule = (is: string, more = ''): string =>
    `${BASE}[[commands]]\nmatch = ["setarch", "**"]\nclass = "${is}"\n${more}`;
  const changed = (before: string, after: string): readonly string[] =>
    diffPolicies(load(before).config, load(after).config).map(({ effect, what }) => `${effect} ${what}`);

  it('give nothing where they are stricter, or need more', () => {
    for (const [before, after] of [
      [rule('read'), rule('destructive')],
      [rule('config-mutation'), rule('destructive')],
      [rule('read'), rule('read', 'needs = ["edit_system"]\n')],
    ] as const) {
      expect(changed(before, after).filter((line) => line.startsWith('gains'))).toEqual([]);
      expect(changed(after, before).filter((line) => line.startsWith('gains'))).not.toEqual([]);
    }
  });

  it('take away at once what they let run, and give more where something milder may know it', () => {
    expect(changed(rule('read'), BASE)).toEqual(['loses a rule knows setarch ** as read, which needs nothing']);
    expect(changed(rule('destructive'), BASE)).toEqual([
      'gains the rule for setarch ** is gone',
      'loses a rule knows setarch ** as destructive, which needs nothing',
    ]);
  });

  it('give more where they make a program known, however strict they are', () => {
    for (const is of ['read', 'config-mutation', 'destructive']) {
      expect(changed(BASE, rule(is))).toContain(`gains a rule knows setarch ** as ${is}, which needs nothing`);
    }
  });
});
