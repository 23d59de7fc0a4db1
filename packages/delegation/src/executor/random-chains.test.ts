import { nodeIdFromBase32 } from '@writ/core';
import { type VerifiedChain, type WritClaims, type WritGrant, widenedField } from '@writ/identity';
import { CAPABILITIES, createPolicyEngine, type Decision } from '@writ/policy';
import { createFakeClock } from '@writ/testkit/clock';
import { describe, expect, it } from 'vitest';
import { boundsOf } from './intake.ts';
import { askOf } from './live-task.ts';

/** Chains in CI; 100,000 were tried with the same seed. */
const CHAINS = 4000;
const SEED = 2026;
const LONGEST = 8;

const ids = Array.from({ length: LONGEST + 1 }, (_, i) => nodeIdFromBase32(String.fromCharCode(97 + i).repeat(32)));
const HOSTS = ['a.example:443', 'b.example:443', 'c.example:80'];
const WORKSPACES = ['app', 'docs', 'web'];

/** A number from 0 up to 1, the same ones for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const POLICY = `schema = 1
[node]
name = "here"
default_profile = "query"
${WORKSPACES.map((name) => `[workspaces.${name}]\npath = "/repo/${name}"\n`).join('')}
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
max_output = "2KiB"
[profiles.reader]
capabilities = ["read_repo", "inspect_logs"]
runner = "shell"
isolation = "none"
${(
  [
    ['dev', '["read_repo", "edit_repo", "run_tests"]', '"deny"'],
    ['relay', '["read_repo", "subdelegate"]', '["a.example:443", "b.example:443"]'],
    ['wide', '["read_repo", "edit_repo", "use_network", "push_repo", "subdelegate"]', '"allow"'],
  ] as const
)
  .map(
    ([name, capabilities, network]) => `[profiles.${name}]
capabilities = ${capabilities}
network = ${network}
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
max_output = "64KiB"
`,
  )
  .join('')}
${ids
  .slice(0, LONGEST)
  .map(
    (id, i) => `[peers.n${i}]
id = "${id}"
profiles = ["query", "reader", "dev", "relay", "wide"]
workspaces = ["app", "docs"]
max_depth = 3
accept_origins = ${JSON.stringify(ids.slice(0, LONGEST).flatMap((_, at) => (at === i ? [] : [`n${at}`])))}
`,
  )
  .join('')}`;

const PROFILES = ['query', 'reader', 'dev', 'relay', 'wide'];
const engine = createPolicyEngine({ text: POLICY, clock: createFakeClock(0), selfId: ids[LONGEST] ?? '' });
const leases = PROFILES.map((profile) => ({
  ...{ id: profile, profile, workspaces: [], expiresAtMs: 1e15 },
  closure: engine.snapshot().config.profiles.get(profile)?.closure ?? [],
}));

/** Every hop narrows the one before by chance; one chain in four has a hop that lies about something. */
function randomChain(next: () => number): VerifiedChain {
  const pick = (list: readonly string[], likely: number) => list.filter(() => next() < likely);
  const length = 1 + Math.floor(next() * LONGEST);
  const liar = next() < 0.25 ? 1 + Math.floor(next() * length) : -1;
  const hops: WritClaims[] = [];
  for (let i = 0; i < length; i++) {
    const before = hops[i - 1];
    const lies = i === liar;
    const whole = lies || !before ? [...CAPABILITIES, 'shell'] : before.grant.closure;
    const network = randomNetwork(next, lies ? 'allow' : (before?.grant.network ?? 'allow'));
    const closure = pick(whole, 0.97);
    hops.push({
      ...{
        v: 1,
        iss: ids[i] ?? '',
        aud: ids[i + 1] ?? '',
        task: `t${i}`,
        origin: ids[0] ?? '',
        session: 's',
        agent: 'a',
      },
      grant: {
        closure:
          lies || next() < 0.1 ? closure : [...new Set([...closure, ...whole.filter((c) => c === 'subdelegate')])],
        workspaces: pick(lies || !before ? WORKSPACES : before.grant.workspaces, 0.9),
        network,
        maxOutputBytes: lies ? 1e9 : Math.floor((before?.grant.maxOutputBytes ?? 100_000) * (0.5 + next() / 2)),
      },
      depth: lies ? 9 : (before?.depth ?? LONGEST) - 1,
      ...{ iat: 0, exp: lies ? 10_000 : (before?.exp ?? 5000) - Math.floor(next() * 100) },
      ...{ nonce: '', request: '', generation: 1 },
    });
  }
  return { hops, ids: hops.map(({ iss }) => iss), last: hops.at(-1) as WritClaims };
}

function randomNetwork(next: () => number, within: WritGrant['network']): WritGrant['network'] {
  if (within === 'deny' || next() < 0.1) return 'deny';
  if (next() < 0.7) return within;
  const hosts = (within === 'allow' ? HOSTS : within).filter(() => next() < 0.7);
  return hosts.length === 0 ? 'deny' : hosts;
}

const subset = (part: readonly string[], whole: readonly string[]): boolean => part.every((one) => whole.includes(one));

function networkWithin(inner: WritGrant['network'], outer: WritGrant['network']): boolean {
  if (inner === 'deny' || outer === 'allow') return true;
  return inner !== 'allow' && outer !== 'deny' && subset(inner, outer);
}

/** What the receiver does with a chain that was proved: the bounds of its hops, and the decision within them. */
function decide(chain: VerifiedChain, profile: string, workspace: string): Decision {
  const spec = { input: { kind: 'argv', argv: ['true'] }, profile, workspace } as const;
  const ask = askOf({ chain: chain.ids, spec, bounds: boundsOf(chain) });
  return engine.decide({ ...ask, from: chain.last.iss, leases, usage: { concurrent: 0, lastHour: 0 } });
}

function tryChains(count: number): Readonly<Record<string, number>> {
  const next = numbers(SEED);
  const seen: Record<string, number> = {};
  for (let i = 0; i < count; i++) {
    const chain = randomChain(next);
    const profile = PROFILES[Math.floor(next() * PROFILES.length)] ?? '';
    const workspace = WORKSPACES[Math.floor(next() * WORKSPACES.length)] ?? '';
    const widened = chain.hops.some((hop, at) => {
      const before = chain.hops[at - 1];
      return before !== undefined && widenedField(before, hop) !== undefined;
    });
    const decision = widened ? undefined : decide(chain, profile, workspace);
    const what = decision?.code ?? 'widened';
    seen[what] = (seen[what] ?? 0) + 1;
    if (decision?.effect !== 'allow') continue;
    const { grant } = decision;
    for (const [at, hop] of chain.hops.entries()) {
      const holds =
        grant !== undefined &&
        subset(grant.closure, hop.grant.closure) &&
        networkWithin(grant.network, hop.grant.network) &&
        grant.maxOutputBytes <= hop.grant.maxOutputBytes &&
        grant.depth <= hop.depth &&
        hop.grant.workspaces.includes(workspace) &&
        (at === chain.hops.length - 1 || hop.grant.closure.includes('subdelegate'));
      if (!holds) throw new Error(`beyond hop ${at + 1}: ${JSON.stringify({ chain, decision })}`);
    }
  }
  return seen;
}

describe(`${CHAINS} random chains of up to ${LONGEST} hops`, () => {
  it('grant nothing beyond any of their links, and are refused for each of the reasons', () => {
    const seen = tryChains(CHAINS);
    for (const what of ['OK', 'widened', 'GRANT_EXCEEDED', 'WORKSPACE_NOT_ALLOWED']) {
      expect(seen[what] ?? 0, what).toBeGreaterThan(CHAINS / 100);
    }
  });
});
