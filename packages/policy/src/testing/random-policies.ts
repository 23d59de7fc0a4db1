import fc from 'fast-check';
import { CAPABILITIES, closureMask, membersOf, tierOf } from '../capabilities.ts';
import type { Config, DecisionRequest, LeaseFact, Network, PeerConfig, Profile, SubjectRules } from '../types.ts';
import { naiveWithin } from './naive-evaluator.ts';
import { SELF_ID, testId } from './testing.ts';

const PROFILES = ['a', 'b', 'c', 'd'] as const;
const WORKSPACES = ['app', 'site'] as const;
const LABELS = ['laptop', 'desk', 'rack'] as const;
const HOSTS = ['h:1', 'h:2'] as const;

/** A word in either letter case. */
const spelled = (word: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(word, fc.boolean()).map(([text, isUpper]) => (isUpper ? text.toUpperCase() : text));
const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });
/** A part of the list, or, half of the time, all of it: where everything is refused early, later rules are not met. */
const most = <T>(of: readonly T[]): fc.Arbitrary<readonly T[]> => fc.oneof(fc.constant(of), fc.subarray([...of]));
const some = <T>(of: readonly T[]): fc.Arbitrary<readonly T[]> => fc.subarray([...of]);

const network: fc.Arbitrary<Network> = fc.oneof(
  fc.constantFrom<Network>('deny', 'deny', 'allow'),
  fc.constant<Network>('deny'),
  fc.constant<Network>('deny'),
  some(HOSTS).map((hosts) => (hosts.length === 0 ? 'deny' : hosts)),
);

function profile(name: string): fc.Arbitrary<Profile> {
  return fc
    .record({
      capabilities: fc.oneof(some(CAPABILITIES.slice(0, 7)), fc.subarray([...CAPABILITIES], { maxLength: 4 })),
      shell: fc.constantFrom('allow', 'deny', 'deny', 'deny'),
      network,
      runner: fc.constantFrom('shell', 'shell', 'fixer'),
      requireApproval: fc.boolean(),
      timeoutMs: fc.constantFrom(1000, 2000),
      maxOutputBytes: fc.constantFrom(10, 20),
      isolation: fc.constantFrom('required', 'none'),
      workspaces: maybe(some(WORKSPACES)),
      raise: fc.constantFrom(0, 0, 1),
    })
    .map(({ raise, workspaces, ...fields }): Profile => {
      const mask = closureMask(
        fields.capabilities,
        fields.shell === 'allow' ? 'allow' : 'deny',
        fields.network !== 'deny',
      );
      const isHighRisk = tierOf(mask) >= 2;
      return {
        ...fields,
        name,
        shell: fields.shell === 'allow' ? 'allow' : 'deny',
        isolation: fields.isolation === 'none' ? 'none' : 'required',
        closure: membersOf(mask),
        rank: Math.min(4, tierOf(mask) + raise),
        requireExplicit: isHighRisk,
        requireLease: isHighRisk,
        onOverflow: 'fail',
        retry: 'never',
        onPartition: 'cancel',
        commands: [],
        readPaths: [],
        env: [],
        secrets: [],
        artifacts: [],
        ...(workspaces ? { workspaces } : {}),
      };
    });
}

const ceilings = fc.dictionary(fc.constantFrom(...PROFILES), fc.constantFrom(...PROFILES), { maxKeys: 3 });

const rules: fc.Arbitrary<SubjectRules> = fc.record({
  profiles: most(PROFILES),
  workspaces: most(WORKSPACES),
  maxDepth: fc.nat(3),
  enabled: fc.constantFrom(true, true, true, false),
  mayRequestLease: fc.boolean(),
  acceptOrigins: some([...LABELS, 'far']),
  ceilings,
  limits: fc.record({
    maxConcurrent: fc.constantFrom(undefined, 1, 3),
    tasksPerHour: fc.constantFrom(undefined, 2, 5),
  }),
});

const peer: fc.Arbitrary<Omit<PeerConfig, 'label' | 'id'>> = fc
  .tuple(rules, fc.record({ profiles: some(PROFILES), workspaces: some(WORKSPACES), ship: fc.boolean() }))
  .map(([own, outbound]) => ({ ...own, outbound }));

/** Ceilings that loading would take: each within what it caps, downwards only, comparable with the node's. */
function legal(
  written: Readonly<Record<string, string>>,
  profiles: ReadonlyMap<string, Profile>,
  node: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const kept = Object.entries(written).filter(([capped, target]) => {
    const outer = profiles.get(capped);
    const inner = profiles.get(target);
    const other = profiles.get(node[capped] ?? '');
    if (!outer || !inner || target >= capped || !naiveWithin(inner, outer)) return false;
    return !other || naiveWithin(inner, other) || naiveWithin(other, inner);
  });
  return Object.fromEntries(kept);
}

/** A configuration that loading would take. */
export const anyConfig: fc.Arbitrary<Config> = fc
  .record({
    profiles: fc.tuple(...PROFILES.map(profile)),
    peers: fc.tuple(peer, peer),
    self: rules,
    ceilings,
    defaultProfile: maybe(fc.constantFrom(...PROFILES)),
    maxChain: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ profiles: list, peers, self, ceilings: nodeCeilings, defaultProfile, maxChain }): Config => {
    const profiles = new Map(list.map((one) => [one.name, one]));
    const node = legal(nodeCeilings, profiles);
    const lowered = <R extends SubjectRules>(own: R): R => ({ ...own, ceilings: legal(own.ceilings, profiles, node) });
    const withDefault = defaultProfile !== undefined && !profiles.get(defaultProfile)?.requireExplicit;
    return {
      node: { name: 'box', maxChain, ...(withDefault ? { defaultProfile } : {}) },
      gateway: {},
      telemetry: {},
      leases: { maxMs: 1000 },
      approvals: { mode: 'passphrase', fallback: 'deny', maxPending: 8 },
      storage: { budgetBytes: 1024, failedMs: 1000, orphanedMs: 1000, keepTasksMs: 1000 },
      profiles,
      runners: new Map([
        ['shell', { name: 'shell', kind: 'shell', argv: [] }],
        ['fixer', { name: 'fixer', kind: 'command', argv: ['fix', '{prompt}'] }],
      ]),
      workspaces: new Map(WORKSPACES.map((name) => [name, { name, path: name, ready: 1 }])),
      ceilings: node,
      peers: new Map(
        peers.map((one, at) => [
          LABELS[at] ?? '',
          { ...lowered(one), label: LABELS[at] ?? '', id: testId(LABELS[at] ?? '') },
        ]),
      ),
      origins: new Map([['far', testId('far')]]),
      self: lowered(self),
      commands: [],
      upstreams: new Map(),
    };
  });

const anyId = fc.constantFrom(...LABELS.map(testId), testId('far'), testId('stranger'), SELF_ID);
const closure = fc.oneof(
  some([...CAPABILITIES, 'shell']),
  fc.constant<readonly string[]>([...CAPABILITIES, 'shell']),
  fc.constant<readonly string[]>([...CAPABILITIES, 'shell']),
);

const lease: fc.Arbitrary<LeaseFact> = fc.record({
  id: fc.constantFrom('l1', 'l2'),
  profile: fc.constantFrom(...PROFILES),
  closure,
  workspaces: fc.oneof(fc.constant<readonly string[]>([]), some(WORKSPACES)),
  expiresAtMs: fc.constant(1),
});

/** A request, most of them with a chain that fits its sender. */
export const anyRequest: fc.Arbitrary<DecisionRequest> = fc
  .record({
    sender: fc.constantFrom('self', ...LABELS, ...LABELS),
    before: fc.array(anyId, { maxLength: 3 }),
    direct: fc.constantFrom(true, true, false),
    crooked: fc.constantFrom(false, false, false, true),
    profile: maybe(spelled(fc.constantFrom(...PROFILES, 'x'))),
    runner: fc.constantFrom(undefined, undefined, undefined, 'shell', 'fixer', 'SHELL'),
    workspace: fc.constantFrom(undefined, 'app', 'app', 'site', 'APP', 'other'),
    input: fc.constantFrom(undefined, undefined, 'argv', 'prompt'),
    grants: fc.oneof(fc.constant(undefined), fc.array(closure, { maxLength: 3 })),
    grantWorkspaces: maybe(some(WORKSPACES)),
    depthLeft: fc.constantFrom(undefined, undefined, -1, 0, 2),
    leases: fc.array(lease, { maxLength: 3 }),
    usage: fc.record({ concurrent: fc.nat(3), lastHour: fc.nat(5) }),
  })
  .map(({ sender, before, direct, crooked, ...facts }): DecisionRequest => {
    const from = sender === 'self' ? 'self' : testId(sender);
    const own = sender === 'self' ? [] : [from];
    const earlier = direct ? [] : before;
    return {
      ...facts,
      input: facts.input === 'argv' || facts.input === 'prompt' ? facts.input : undefined,
      from,
      chain: crooked ? before : [...earlier, ...own],
    };
  });
