import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideWith } from './decide.ts';
import { diffPolicies } from './diff.ts';
import { meetConfigs } from './meet.ts';
import { naiveDecide } from './model/naive-evaluator.ts';
import { anyConfig, anyRequest } from './model/random-policies.ts';
import { SELF_ID } from './model/testing.ts';
import { networkWithin } from './network.ts';
import { indexConfig } from './policy-index.ts';
import { outcomeOf } from './self-tests.ts';
import { stricterDecision } from './stricter.ts';
import type { Config, Decision, DecisionRequest, PeerConfig, SubjectRules } from './types.ts';

/** Random policies a property; each meets several requests. The seed is fixed: a run in CI fails for a reason. */
const RUNS = 60;
const SEED = 2026;
const requests = fc.array(anyRequest, { minLength: 20, maxLength: 20 });

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

function check<T>(values: fc.Arbitrary<T>, holds: (values: T) => void, runs = RUNS): void {
  fc.assert(fc.property(values, holds), { numRuns: runs, seed: SEED });
}

describe('for any policy and any request', () => {
  it('agrees with an evaluator that shares no code with it', () => {
    const seen = new Set<string>();
    check(
      fc.tuple(anyConfig, requests),
      ([config, asked]) => {
        for (const request of asked) {
          const decision = decide(config, request);
          const naive = naiveDecide(config, request, SELF_ID);
          expect(outcomeOf(decision)).toBe(naive.outcome);
          expect(decision.grant?.closure ?? []).toEqual(naive.closure);
          seen.add(naive.outcome.split('/')[0]?.replace(/^allow:.*/, 'allow') ?? '');
        }
      },
      4 * RUNS,
    );
    // The generator would prove little if it only met refusals of strangers.
    for (const outcome of [
      'allow',
      'ask:LEASE_REQUIRED',
      'deny:GRANT_EXCEEDED',
      'deny:LIMIT_EXCEEDED',
      'deny:LEASE_REQUIRED',
    ]) {
      expect(seen).toContain(outcome);
    }
  });

  it('grants no more than the profile, the peer, the grants and the writ', () => {
    check(fc.tuple(anyConfig, requests), ([config, asked]) => {
      for (const request of asked) {
        const { grant, requestedProfile, effectiveProfile, effectiveRunner } = decide(config, request);
        if (!grant) continue;
        const requested = config.profiles.get(requestedProfile ?? '');
        const effective = config.profiles.get(effectiveProfile ?? '');
        expect(subset(grant.closure, requested?.closure ?? [])).toBe(true);
        for (const parent of request.grants ?? []) expect(subset(grant.closure, parent)).toBe(true);
        expect(grant.rank).toBeLessThanOrEqual(requested?.rank ?? -1);
        expect(networkWithin(grant.network, requested?.network ?? 'deny')).toBe(true);
        expect(grant.timeoutMs).toBeLessThanOrEqual(requested?.timeoutMs ?? -1);
        expect(grant.depth).toBeLessThanOrEqual(request.depthLeft ?? 64);
        expect(effectiveRunner).toBe(effective?.runner);
      }
    });
  });

  it('answers the same however rules and facts are ordered or repeated', () => {
    check(fc.tuple(anyConfig, requests), ([config, asked]) => {
      const twist = <T>(list: readonly T[]): readonly T[] => [...list, ...list].reverse();
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
        expect(second).toEqual(first);
      }
    });
  });

  const STRICTER: readonly [string, (config: Config) => Config][] = [
    [
      'a peer loses a profile',
      (config) => changePeers(config, (peer) => ({ ...peer, profiles: peer.profiles.slice(1) })),
    ],
    [
      'a peer loses a workspace',
      (config) => changePeers(config, (peer) => ({ ...peer, workspaces: peer.workspaces.slice(1) })),
    ],
    ['a peer is switched off', (config) => changePeers(config, (peer) => ({ ...peer, enabled: false }))],
    [
      'a peer loses depth and origins',
      (config) => changePeers(config, (peer) => ({ ...peer, maxDepth: 0, acceptOrigins: [] })),
    ],
    [
      'limits are lowered',
      (config) => changePeers(config, (peer) => ({ ...peer, limits: { maxConcurrent: 1, tasksPerHour: 1 } })),
    ],
    ['chains are shortened', (config) => ({ ...config, node: { ...config.node, maxChain: 1 } })],
    [
      'leases may no longer be asked for',
      (config) => changePeers(config, (peer) => ({ ...peer, mayRequestLease: false })),
    ],
    [
      'everything is approved first',
      (config) => ({
        ...config,
        profiles: new Map([...config.profiles].map(([name, one]) => [name, { ...one, requireApproval: true }])),
      }),
    ],
  ];

  it.each(STRICTER)('grants no more when %s, and the difference knows it', (_, tighten) => {
    check(fc.tuple(anyConfig, requests), ([config, asked]) => {
      const stricter = tighten(config);
      expect(diffPolicies(config, stricter).filter(({ effect }) => effect === 'gains')).toEqual([]);
      for (const request of asked) {
        const before = decide(config, request);
        const after = decide(stricter, request);
        expect(STRICTNESS[after.effect]).toBeGreaterThanOrEqual(STRICTNESS[before.effect]);
        expect(grantsWithin(after, before)).toBe(true);
      }
    });
  });

  it('gives nobody more where the difference names no gain', () => {
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
    const parts: readonly (keyof Config)[] = ['profiles', 'peers', 'self', 'ceilings', 'node'];
    let silent = 0;
    check(fc.tuple(anyConfig, anyConfig, fc.constantFrom(...parts), requests), ([before, other, part, asked]) => {
      const after: Config = { ...before, [part]: other[part] };
      if (diffPolicies(before, after).some(({ effect }) => effect === 'gains')) return;
      silent++;
      for (const request of asked) {
        const was = decide(before, request, true);
        const is = decide(after, request, true);
        if (EARLY.includes(was.code)) expect(is.effect).toBe('deny');
        if (was.grant) expect(grantsWithin(is, was)).toBe(true);
      }
    });
    expect(silent).toBeGreaterThan(0);
  });

  it('lets the stricter of two policies win while a change is parked', () => {
    check(fc.tuple(anyConfig, anyConfig, requests), ([accepted, current, asked]) => {
      const met = meetConfigs(accepted, current);
      for (const request of asked) {
        const a = decide(accepted, request);
        const b = decide(current, request);
        const both = stricterDecision(a, b, met);
        expect(STRICTNESS[both.effect]).toBeGreaterThanOrEqual(Math.max(STRICTNESS[a.effect], STRICTNESS[b.effect]));
        expect(grantsWithin(both, a) && grantsWithin(both, b)).toBe(true);
        if (both.grant)
          expect(subset(both.grant.closure, met.profiles.get(both.effectiveProfile ?? '')?.closure ?? [])).toBe(true);
      }
    });
  });
});
