import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { decideWith } from '../decide.ts';
import { diffPolicies } from '../diff.ts';
import { meetConfigs } from '../meet.ts';
import { networkWithin } from '../network.ts';
import { indexConfig } from '../policy-index.ts';
import { outcomeOf } from '../self-tests.ts';
import { stricterDecision } from '../stricter.ts';
import type { Config, Decision, DecisionRequest, PeerConfig, SubjectRules } from '../types.ts';
import { naiveDecide } from './naive-evaluator.ts';
import { anyConfig, anyRequest } from './random-policies.ts';
import { SELF_ID } from './testing.ts';

/** How much is tried. */
export interface Effort {
  /** Random policies. */
  readonly policies: number;
  /** Requests that each of them meets. */
  readonly requests: number;
  readonly seed: number;
}

/** Something that holds for any policy and any request. */
export interface Property {
  readonly name: string;
  /** Throws with the smallest example where it does not hold. */
  prove(effort: Effort): void;
}

function decide(config: Config, request: DecisionRequest, assumeLease = false): Decision {
  const index = indexConfig(config, () => undefined);
  return decideWith(index, request, { generation: 1, selfId: SELF_ID, assumeLease });
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

function subset(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((one) => outer.includes(one));
}

/** Nothing of what `inner` grants is beyond `outer`. */
function grantsWithin(inner: Decision, outer: Decision): boolean {
  const a = inner.grant;
  const b = outer.grant;
  if (!a || !b) return !a;
  return (
    subset(a.closure, b.closure) &&
    a.rank <= b.rank &&
    networkWithin(a.network, b.network) &&
    a.timeoutMs <= b.timeoutMs &&
    a.maxOutputBytes <= b.maxOutputBytes &&
    (a.isolation === 'required' || b.isolation === 'none') &&
    a.depth <= b.depth
  );
}

function changePeers(config: Config, change: (peer: PeerConfig) => PeerConfig): Config {
  return { ...config, peers: new Map([...config.peers].map(([label, peer]) => [label, change(peer)])) };
}

/** A property of one policy with its requests. */
function property<T>(
  name: string,
  others: fc.Arbitrary<T>,
  holds: (config: Config, asked: readonly DecisionRequest[], other: T) => void,
): Property {
  return {
    name,
    prove({ policies, requests, seed }) {
      const asked = fc.array(anyRequest, { minLength: requests, maxLength: requests });
      const all = fc.property(anyConfig, asked, others, (config, list, other) => holds(config, list, other));
      fc.assert(all, { numRuns: policies, seed });
    },
  };
}

const nothing = fc.constant(undefined);

/** Outcomes that have to be met: a generator that only meets refusals of strangers proves little. */
const OUTCOMES = ['allow', 'ask:LEASE_REQUIRED', 'deny:GRANT_EXCEEDED', 'deny:LIMIT_EXCEEDED', 'deny:LEASE_REQUIRED'];

/** Agrees with an evaluator that shares no code with the engine. */
export const agreement: Property = {
  name: 'agrees with an evaluator that shares no code with it',
  prove(effort) {
    const seen = new Set<string>();
    property('agreement', nothing, (config, asked) => {
      for (const request of asked) {
        const decision = decide(config, request);
        const naive = naiveDecide(config, request, SELF_ID);
        equal(outcomeOf(decision), naive.outcome);
        deepEqual(decision.grant?.closure ?? [], naive.closure);
        seen.add(naive.outcome.replace(/^allow:.*/, 'allow'));
      }
    }).prove(effort);
    for (const outcome of OUTCOMES) ok(seen.has(outcome), `${outcome} was never met`);
  },
};

/** Invariants 1 and 3 on one decision. */
function holdsWithin(config: Config, request: DecisionRequest): void {
  const { effect, grant, requestedProfile, effectiveProfile, effectiveRunner } = decide(config, request);
  if (effect !== 'deny') chainHolds(config, request);
  if (!grant) return;
  const requested = config.profiles.get(requestedProfile ?? '');
  const effective = config.profiles.get(effectiveProfile ?? '');
  ok(subset(grant.closure, requested?.closure ?? []));
  for (const parent of request.grants ?? []) ok(subset(grant.closure, parent));
  ok(grant.rank <= (requested?.rank ?? -1));
  ok(networkWithin(grant.network, requested?.network ?? 'deny'));
  ok(grant.timeoutMs <= (requested?.timeoutMs ?? -1));
  ok(grant.depth <= (request.depthLeft ?? 64));
  equal(effectiveRunner, effective?.runner);
}

function chainHolds(config: Config, { from, chain }: DecisionRequest): void {
  if (from === 'self') {
    equal(chain.length, 0);
    return;
  }
  const folded = chain.map((id) => id.toLowerCase());
  equal(new Set(folded).size, chain.length);
  equal(folded.at(-1), from.toLowerCase());
  ok(!folded.includes(SELF_ID));
  ok(chain.length <= config.node.maxChain);
}

const attenuation = property(
  'grants no more than the profile, the peer, the grants and the writ, over a chain that holds',
  nothing,
  (config, asked) => {
    for (const request of asked) holdsWithin(config, request);
  },
);

const twist = <T>(list: readonly T[]): readonly T[] => [...list, ...list].reverse();

const order = property('answers the same however rules and facts are ordered or repeated', nothing, (config, asked) => {
  const twistRules = <R extends SubjectRules>(own: R): R => ({
    ...own,
    profiles: twist(own.profiles),
    workspaces: twist(own.workspaces),
    acceptOrigins: twist(own.acceptOrigins),
  });
  const twisted = changePeers(
    { ...config, profiles: new Map([...config.profiles].reverse()), self: twistRules(config.self) },
    twistRules,
  );
  for (const request of asked) {
    const { message: _m, nextSteps: _n, trace: _t, ...first } = decide(config, request);
    const again = { ...request, leases: [...request.leases, ...request.leases] };
    const { message: _m2, nextSteps: _n2, trace: _t2, ...second } = decide(twisted, again);
    deepEqual(second, first);
  }
});

const changeRules = (change: Partial<SubjectRules>) => (config: Config) =>
  changePeers(config, (peer) => ({ ...peer, ...change }));

/** Ways to take something away. */
const STRICTER: readonly (readonly [string, (config: Config) => Config])[] = [
  [
    'a peer loses a profile',
    (config) => changePeers(config, (peer) => ({ ...peer, profiles: peer.profiles.slice(1) })),
  ],
  [
    'a peer loses a workspace',
    (config) => changePeers(config, (peer) => ({ ...peer, workspaces: peer.workspaces.slice(1) })),
  ],
  ['a peer is switched off', changeRules({ enabled: false })],
  ['a peer loses depth and origins', changeRules({ maxDepth: 0, acceptOrigins: [] })],
  ['limits are lowered', changeRules({ limits: { maxConcurrent: 1, tasksPerHour: 1 } })],
  ['chains are shortened', (config) => ({ ...config, node: { ...config.node, maxChain: 1 } })],
  ['leases may no longer be asked for', changeRules({ mayRequestLease: false })],
  [
    'everything is approved first',
    (config) => ({
      ...config,
      profiles: new Map([...config.profiles].map(([name, one]) => [name, { ...one, requireApproval: true }])),
    }),
  ],
];

const monotone = property(
  'grants no more when something is taken away, and the difference knows it',
  fc.constantFrom(...STRICTER),
  (config, asked, [, tighten]) => {
    const stricter = tighten(config);
    deepEqual(
      diffPolicies(config, stricter).filter(({ effect }) => effect === 'gains'),
      [],
    );
    for (const request of asked) {
      const before = decide(config, request);
      const after = decide(stricter, request);
      ok(STRICTNESS[after.effect] >= STRICTNESS[before.effect]);
      ok(grantsWithin(after, before));
    }
  },
);

/** Codes of a subject that is let nowhere near a profile. */
const EARLY = [
  'PEER_UNKNOWN',
  'PEER_DISABLED',
  'CHAIN_TOO_DEEP',
  'ORIGIN_NOT_ACCEPTED',
  'PROFILE_REQUIRED',
  'PROFILE_UNKNOWN',
  'PROFILE_NOT_ALLOWED',
];

// Two policies that differ in one part only: whole random ones nearly always gain something.
const PARTS: readonly (keyof Config)[] = ['profiles', 'peers', 'self', 'ceilings', 'node'];

const silence: Property = {
  name: 'gives nobody more where the difference names no gain',
  prove(effort) {
    let silent = 0;
    property('silence', fc.tuple(anyConfig, fc.constantFrom(...PARTS)), (before, asked, [other, part]) => {
      const after: Config = { ...before, [part]: other[part] };
      if (diffPolicies(before, after).some(({ effect }) => effect === 'gains')) return;
      silent++;
      for (const request of asked) {
        const was = decide(before, request, true);
        const is = decide(after, request, true);
        if (EARLY.includes(was.code)) equal(is.effect, 'deny');
        if (was.grant) ok(grantsWithin(is, was));
      }
    }).prove(effort);
    ok(silent > 0);
  },
};

const parked = property(
  'lets the stricter of two policies win while a change is parked',
  anyConfig,
  (accepted, asked, current) => {
    const met = meetConfigs(accepted, current);
    for (const request of asked) {
      const a = decide(accepted, request);
      const b = decide(current, request);
      const both = stricterDecision(a, b, met);
      ok(STRICTNESS[both.effect] >= Math.max(STRICTNESS[a.effect], STRICTNESS[b.effect]));
      ok(grantsWithin(both, a) && grantsWithin(both, b));
      const bound = met.profiles.get(both.effectiveProfile ?? '')?.closure ?? [];
      if (both.grant) ok(subset(both.grant.closure, bound));
    }
  },
);

/** Every property but the agreement, which is tried more often. */
export const PROPERTIES: readonly Property[] = [attenuation, order, monotone, silence, parked];
