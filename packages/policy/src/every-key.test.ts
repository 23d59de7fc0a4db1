import { stringify } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { diffPolicies } from './diff.ts';
import { createPolicyEngine } from './engine.ts';
import { configReference } from './reference.ts';
import { load } from './testing/fixtures.ts';
import { fixedClock, SELF_ID, testId } from './testing/testing.ts';

/** A configuration in which every key of the tables below can be changed alone. */
const DOCUMENT = {
  schema: 1,
  node: { name: 'box', default_profile: 'plain' },
  workspaces: { app: { path: '.' }, site: { path: 'site' } },
  profiles: {
    plain: { capabilities: ['inspect_status'], runner: 'shell' },
    query: {
      ...{ capabilities: ['inspect_status'], runner: 'shell', workspaces: ['app'] },
      ...{ require_explicit: true, require_lease: true, require_approval: true },
    },
    work: { capabilities: ['inspect_status'], runner: 'fixer' },
    talk: { capabilities: ['inspect_status'], runner: 'agent' },
    more: { capabilities: ['inspect_status', 'inspect_logs'], runner: 'shell' },
  },
  runners: {
    fixer: { kind: 'command', argv: ['fix', '{prompt}'] },
    other: { kind: 'command', argv: ['other', '{prompt}'] },
    agent: { kind: 'codex' },
  },
  peers: {
    laptop: {
      ...{ id: testId('laptop'), profiles: ['plain', 'query', 'work', 'talk', 'more'], workspaces: ['app'] },
      accept_origins: ['far'],
    },
    desk: { id: testId('desk'), profiles: ['plain'] },
  },
  self: { profiles: ['plain', 'more'], workspaces: ['app'] },
  origins: { far: { id: testId('far') } },
  commands: [{ match: ['deploy', '*'], class: 'destructive', needs: ['edit_system'] }],
  upstreams: { docs: { command: ['docs'] }, web: { url: 'http://127.0.0.1:1/mcp' } },
};

/** Where a key is changed that stands under a name, or in a list. */
const PLACES: readonly (readonly [string, string])[] = [
  ['upstreams.NAME.url', 'upstreams.web.url'],
  ['upstreams.NAME', 'upstreams.docs'],
  ['runners.NAME.kind', 'runners.agent.kind'],
  ['runners.NAME', 'runners.fixer'],
  ['origins.NAME', 'origins.far'],
  ['workspaces.NAME', 'workspaces.app'],
  ['profiles.NAME', 'profiles.query'],
  ['peers.NAME', 'peers.laptop'],
  ['profile_ceilings.NAME', 'profile_ceilings.more'],
  ['[]', '.0'],
];

type Row = readonly [key: string, narrow: unknown, wide: unknown];

const SUBJECT = (of: string): readonly Row[] => [
  [`${of}.profiles`, ['plain', 'more'], ['plain', 'more', 'work']],
  [`${of}.workspaces`, ['app'], ['app', 'site']],
  [`${of}.max_depth`, 0, 1],
  [`${of}.enabled`, false, true],
  [`${of}.may_request_lease`, false, true],
  [`${of}.accept_origins`, [], ['desk']],
  [`${of}.profile_ceilings.NAME`, 'plain', undefined],
  [`${of}.limits.max_concurrent`, 1, 2],
  [`${of}.limits.tasks_per_hour`, 1, undefined],
];

/** Read from left to right each gives somebody more, or destroys more, so that it waits for a yes. */
const GAINS: readonly Row[] = [
  ['node.listen', undefined, '127.0.0.1:7420'],
  ['node.listen', '127.0.0.1:7420', '0.0.0.0:7420'],
  ['node.default_profile', 'plain', 'more'],
  ['node.max_chain', 8, 9],
  ['gateway.listen', undefined, '127.0.0.1:7421'],
  ['gateway.listen', '127.0.0.1:7421', '127.0.0.1:80'],
  ['telemetry.traces', undefined, 'http://127.0.0.1:4318/v1/traces'],
  ['telemetry.traces', 'http://127.0.0.1:4318/v1/traces', 'http://far/v1/traces'],
  ['telemetry.metrics', undefined, '127.0.0.1:9464'],
  ['approvals.mode', 'passphrase', 'terminal'],
  ['approvals.max_pending', 8, 9],
  ['leases.max', '24h', '25h'],
  ['storage.keep_tasks', '90d', '30d'],
  ['workspaces.NAME.path', '.', '/etc'],
  ['profiles.NAME.capabilities', ['inspect_status'], ['inspect_status', 'inspect_disk']],
  ['profiles.NAME.claims', undefined, ['inspect_disk']],
  ['profiles.NAME.runner', 'shell', 'other'],
  ['profiles.NAME.shell', 'deny', 'allow'],
  ['profiles.NAME.network', 'deny', ['packages.example:443']],
  ['profiles.NAME.require_explicit', true, false],
  ['profiles.NAME.require_lease', true, false],
  ['profiles.NAME.require_approval', true, false],
  ['profiles.NAME.rank', undefined, 1],
  ['profiles.NAME.timeout', '30m', '31m'],
  ['profiles.NAME.max_output', '8MiB', '9MiB'],
  ['profiles.NAME.on_overflow', 'fail', 'truncate'],
  ['profiles.NAME.isolation', 'required', 'none'],
  ['profiles.NAME.retry', 'never', 'safe'],
  ['profiles.NAME.on_partition', 'cancel', 'continue'],
  ['profiles.NAME.workspaces', ['app'], undefined],
  ['profiles.NAME.commands', [], [['true']]],
  ['profiles.NAME.read_paths', [], ['/etc/hosts']],
  ['profiles.NAME.env', [], ['LANG']],
  ['profiles.NAME.secrets', [], ['key']],
  ['profiles.NAME.artifacts', [], ['*.log']],
  ['runners.NAME.kind', 'codex', 'claude'],
  ['runners.NAME.argv', ['fix', '{prompt}'], ['break', '{prompt}']],
  ['profile_ceilings.NAME', 'plain', undefined],
  ['peers.NAME.id', testId('laptop'), testId('other')],
  ...SUBJECT('peers.NAME'),
  ['peers.NAME.outbound.profiles', [], ['query']],
  ['peers.NAME.outbound.workspaces', [], ['app']],
  ['peers.NAME.outbound.ship', false, true],
  ...SUBJECT('self'),
  ['origins.NAME.id', testId('far'), testId('other')],
  ['commands[].match', ['deploy', '*'], ['rollback', '*']],
  ['commands[].class', 'destructive', 'read'],
  ['commands[].needs', ['edit_system'], []],
  ['commands[].target', undefined, 1],
  ['upstreams.NAME.command', ['docs'], ['other']],
  ['upstreams.NAME.url', 'http://127.0.0.1:1/mcp', 'http://127.0.0.1:2/mcp'],
  ['upstreams.NAME.env', [], ['TOKEN']],
  ['upstreams.NAME.session_argument', undefined, 'session'],
  ['upstreams.NAME.agents', [], ['search']],
  ['upstreams.NAME.tasks', [], ['search']],
  ['upstreams.NAME.profiles', [], ['query']],
];

const EXPECTATION = { from: 'laptop', profile: 'plain', expect: 'allow:plain' };

/** Gives nobody more, whatever is written, and why. */
const NO_GAIN: readonly (readonly [...Row, why: string])[] = [
  ['schema', 1, 1, 'there is one version'],
  ['node.name', 'box', 'crate', 'a label; peers know the identity'],
  ['approvals.fallback', undefined, 'deny', 'there is one answer'],
  ['peers.NAME.address', undefined, 'far:7420', 'only the pinned identity is spoken with, whoever answers there'],
  ['workspaces.NAME.ready', 0, 16, 'clones for the same tasks, made earlier'],
  ['storage.budget', '1GiB', '20GiB', 'how much of this disk holds what there is already'],
  ['storage.done', undefined, '9d', 'kept for the person of this node'],
  ['storage.failed', '1h', '9d', 'kept for the person of this node'],
  ['storage.orphaned', '1h', '9d', 'kept for the person of this node'],
  ['storage.transcripts', '1h', undefined, 'whoever asked for the task may read it meanwhile, as before'],
  ['commands[].examples', [], [['deploy', 'x']], 'looked at when the file loads'],
  ['commands[].not_examples', [], [['undeploy', 'x']], 'looked at when the file loads'],
  ['tests[].from', EXPECTATION, { ...EXPECTATION, from: 'desk' }, 'looked at when the file loads'],
  ['tests[].profile', EXPECTATION, { ...EXPECTATION, profile: 'more', expect: 'allow:more' }, 'the same'],
  ['tests[].expect', EXPECTATION, { ...EXPECTATION, expect: 'allow' }, 'the same'],
  ['tests[].workspace', EXPECTATION, { ...EXPECTATION, workspace: 'app' }, 'the same'],
  ['tests[].runner', EXPECTATION, { ...EXPECTATION, runner: 'shell' }, 'the same'],
  ['tests[].chain', EXPECTATION, { ...EXPECTATION, chain: ['laptop'] }, 'the same'],
  ['tests[].input', EXPECTATION, { ...EXPECTATION, input: 'argv' }, 'the same'],
  ['tests[].lease', EXPECTATION, { ...EXPECTATION, lease: true }, 'the same'],
];

/** In force at the next start alone; every other key is at once. */
const RESTART = ['node.listen', 'gateway.listen', 'telemetry.traces', 'telemetry.metrics'];

/** The document with one key written so; `undefined` leaves it out. */
function written(key: string, value: unknown): string {
  const at = key.startsWith('tests[]') ? 'tests.0' : PLACES.reduce((path, [from, to]) => path.replace(from, to), key);
  const document: Record<string, unknown> = structuredClone(DOCUMENT);
  const steps = at.split('.');
  const last = steps.pop() ?? '';
  let table = document;
  for (const [depth, step] of steps.entries()) {
    table[step] ??= steps.concat(last)[depth + 1] === '0' ? [] : {};
    table = table[step] as Record<string, unknown>;
  }
  if (value === undefined) delete table[last];
  else table[last] = value;
  return stringify(document);
}

describe('every key of writ.toml', () => {
  it('is on exactly one of the two lists: a new one has to be thought about', () => {
    const gains = new Set(GAINS.map(([key]) => key));
    const others = NO_GAIN.map(([key]) => key);
    expect(others.filter((key) => gains.has(key))).toEqual([]);
    expect([...gains, ...others].sort()).toEqual(
      configReference()
        .map(({ key }) => key)
        .sort(),
    );
  });

  it.each(GAINS)('waits where it gives more: %s from %j to %j', async (key, narrow, wide) => {
    const text = written(key, wide);
    const engine = createPolicyEngine({ text: written(key, narrow), clock: fixedClock(), selfId: SELF_ID });
    const { parked, restartNeeded } = await engine.reload(text, { acceptWidening: false });
    expect(parked).not.toBeUndefined();
    expect(restartNeeded).toEqual([]);
    expect(engine.status().addressesWaiting).toEqual(RESTART.filter((one) => one === key));
    const accepted = await engine.reload(text, { acceptWidening: true });
    expect(accepted.parked).toBeUndefined();
    expect(accepted.restartNeeded).toEqual(RESTART.filter((one) => one === key));
    expect(engine.status()).toMatchObject({ restartNeeded: accepted.restartNeeded, addressesWaiting: [] });
  });

  it.each(NO_GAIN)('waits for nobody where it gives nothing: %s from %j to %j', (key, one, other) => {
    const [a, b] = [load(written(key, one)).config, load(written(key, other)).config];
    expect([...diffPolicies(a, b), ...diffPolicies(b, a)]).toEqual([]);
  });

  it('keeps tasks as long as was accepted, until less is', async () => {
    const textOf = (span: string): string => written('storage.keep_tasks', span);
    const engine = createPolicyEngine({ text: textOf('90d'), clock: fixedClock(), selfId: SELF_ID });
    const days = (): number => engine.snapshot().config.storage.keepTasksMs / 86_400_000;
    const { parked } = await engine.reload(textOf('30d'), { acceptWidening: false });
    const what = 'removes tasks 30d after their end, with all that belongs to them';
    expect([days(), parked]).toEqual([90, [{ subject: 'node', effect: 'gains', what }]]);
    await engine.reload(textOf('120d'), { acceptWidening: false });
    expect(days()).toBe(120);
    await engine.reload(textOf('30d'), { acceptWidening: true });
    expect(days()).toBe(30);
  });

  it('keeps an address as it was accepted, or closed, until one is accepted', async () => {
    for (const [key, narrow, wide] of GAINS.filter(([one]) => RESTART.includes(one))) {
      const engine = createPolicyEngine({ text: written(key, narrow), clock: fixedClock(), selfId: SELF_ID });
      const before = engine.snapshot().config;
      await engine.reload(written(key, wide), { acceptWidening: false });
      const { node, gateway, telemetry } = engine.snapshot().config;
      expect([node.listen, gateway, telemetry]).toEqual([before.node.listen, before.gateway, before.telemetry]);
      const again = createPolicyEngine({
        ...{ text: written(key, wide), clock: fixedClock(), selfId: SELF_ID },
        acceptedTexts: engine.acceptedTexts().map(({ text }) => text),
      });
      expect(again.snapshot().config.node.listen).toBe(before.node.listen);
      expect(again.status()).toMatchObject({ addressesWaiting: [key], restartNeeded: [] });
    }
  });
});
