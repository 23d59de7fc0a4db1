import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bounds, gainsBeyond, narrowBounds } from './bounds.ts';
import { decideWith } from './decide.ts';
import { createPolicyEngine } from './engine.ts';
import { networkWithin } from './network.ts';
import { type CompiledPolicy, indexConfig } from './policy-index.ts';
import { finish } from './slices.ts';
import { BASE, leaseOn, requestFrom } from './testing/fixtures.ts';
import { anyConfig } from './testing/random-policies.ts';
import { fixedClock, SELF_ID, testId } from './testing/testing.ts';
import type { Config, Decision, PolicyEngine } from './types.ts';

const RUNS = { numRuns: 20, seed: 2026 };

/** Edits of a file, of which each gives something, takes something away or moves something. */
const EDITS: readonly (readonly [string, string])[] = [
  ['profiles = ["query", "repo-dev", "system-change"]', 'profiles = ["repo-dev"]'],
  ['[peers.desk]', `[peers.rack]\nid = "${testId('rack')}"\nprofiles = ["query"]\n[peers.desk]`],
  ['max_depth = 2', 'max_depth = 1'],
  ['max_depth = 2', 'max_depth = 3'],
  ['commands = [["true"]]', 'commands = []\ntimeout = "1m"'],
  ['commands = [["true"]]', 'commands = [["true"], ["id"]]\ntimeout = "60m"'],
  ['network = "allow"', 'network = ["a:1"]'],
  ['network = "allow"\nrunner = "fixer"', 'network = ["b:1"]\nrunner = "shell"'],
  ['[profile_ceilings]\nsystem-change = "repo-dev"\n', ''],
  ['"install_packages", "subdelegate"', '"subdelegate", "push_repo"'],
  ['workspaces = ["app"]\nmax_depth', 'workspaces = ["site"]\nmax_depth'],
  ['argv = ["fix", "{prompt}"]', 'argv = ["other", "{prompt}"]'],
  ['max_concurrent = 2', 'max_concurrent = 1'],
];
const anyText = fc
  .subarray([...EDITS])
  .map((edits) => edits.reduce((text, [from, to]) => text.replace(from, to), BASE));

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

function isWithin(inner: Decision, outer: Decision): boolean {
  if (STRICTNESS[inner.effect] < STRICTNESS[outer.effect]) return false;
  const a = inner.grant;
  const b = outer.grant;
  if (!a || !b) return !a;
  return (
    a.closure.every((member) => b.closure.includes(member)) &&
    a.rank <= b.rank &&
    networkWithin(a.network, b.network) &&
    a.timeoutMs <= b.timeoutMs &&
    a.maxOutputBytes <= b.maxOutputBytes &&
    a.depth <= b.depth
  );
}

function answers(engine: PolicyEngine): readonly Decision[] {
  const profiles = [...engine.snapshot().config.profiles.values()];
  const leases = profiles.map((profile) => leaseOn(profile));
  return ['laptop', 'desk', 'rack'].flatMap((label) =>
    ['query', 'repo-dev', 'system-change'].flatMap((profile) =>
      ['app', 'site'].flatMap((workspace) =>
        [0, 1, 2].map((concurrent) =>
          engine.decide(requestFrom(label, { profile, workspace, leases, usage: { concurrent, lastHour: 0 } })),
        ),
      ),
    ),
  );
}

function policyOf(config: Config, at: number): CompiledPolicy {
  return { text: '', digest: `${at}`, config, deprecations: [], index: indexConfig(config, () => undefined) };
}

describe('without a yes', () => {
  it('no sequence of edits and restarts gives anybody more than before', async () => {
    const clock = fixedClock();
    const steps = fc.array(fc.tuple(anyText, fc.boolean()), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        let engine = createPolicyEngine({ text: BASE, clock, selfId: SELF_ID });
        for (const [text, restarts] of sequence) {
          const before = answers(engine);
          const { commands: had = [] } = engine.snapshot().config.profiles.get('query') ?? {};
          if (restarts) {
            const acceptedTexts = engine.acceptedTexts().map((accepted) => accepted.text);
            engine = createPolicyEngine({ text, clock, selfId: SELF_ID, acceptedTexts });
          } else await engine.reload(text, { acceptWidening: false });
          answers(engine).forEach((now, place) => {
            const was = before[place];
            expect(was && isWithin(now, was)).toBe(true);
          });
          for (const command of engine.snapshot().config.profiles.get('query')?.commands ?? []) {
            expect(had).toContainEqual(command);
          }
        }
      }),
      RUNS,
    );
  });

  it('no sequence of policies leads out of the bound of an earlier one', () => {
    const question = { grants: [], leases: [], usage: { concurrent: 0, lastHour: 0 } };
    fc.assert(
      fc.property(fc.array(anyConfig, { minLength: 2, maxLength: 6 }), (configs) => {
        const [first, ...rest] = configs.map(policyOf);
        if (!first) return;
        let bounds: Bounds = [first];
        const denied = new Set<string>();
        for (const next of rest) {
          bounds = finish(gainsBeyond(bounds, next)).length === 0 ? [next] : finish(narrowBounds(bounds, next));
          for (const label of ['laptop', 'desk']) {
            for (const profile of ['a', 'b', 'c', 'd']) {
              const from = testId(label);
              const decide = ({ index }: CompiledPolicy) =>
                decideWith(
                  index,
                  { ...question, from, chain: [from], profile },
                  { generation: 1, selfId: SELF_ID, assumeLease: true },
                );
              const codes = [...bounds, next].map((policy) => decide(policy).code);
              const isRefused = codes.includes('PROFILE_NOT_ALLOWED') || codes.includes('PEER_DISABLED');
              if (isRefused) denied.add(`${label} ${profile}`);
              expect(isRefused).toBe(denied.has(`${label} ${profile}`));
            }
          }
        }
      }),
      RUNS,
    );
  });
});
