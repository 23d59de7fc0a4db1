import { decideWith } from './decide.ts';
import type { PolicyIndex } from './policy-index.ts';
import type { Placed } from './readers.ts';
import type { TestDocument } from './schema.ts';
import type { Decision, DecisionRequest } from './types.ts';

/** One of a configuration's own tests and what came of it. */
export interface SelfTestResult {
  /** How the entry reads, for example `laptop repo-dev/app`. */
  readonly name: string;
  readonly ok: boolean;
  readonly expected: string;
  readonly got: string;
  /** Why it was decided so. */
  readonly message: string;
  readonly path: string;
}

/** Runs the `[[tests]]` of a configuration on its own policy. */
export function runSelfTests(tests: readonly Placed<TestDocument>[], index: PolicyIndex): readonly SelfTestResult[] {
  return tests.map(({ path, value: test }) => {
    // A policy is tested without a node, so the label `self` stands for its id in a chain.
    const frame = { generation: 0, selfId: 'self', assumeLease: test.lease };
    const decision = decideWith(index, requestOf(test, index), frame);
    const expected = test.expect ?? '';
    const name = `${test.from?.value ?? ''} ${test.profile ?? ''}${test.workspace === undefined ? '' : `/${test.workspace}`}`;
    const ok = matches(decision, expected);
    return { name: name.trim(), ok, expected, got: outcomeOf(decision), message: decision.message, path };
  });
}

function requestOf(test: TestDocument, index: PolicyIndex): DecisionRequest {
  const from = idFor(index, test.from?.value ?? '');
  const { profile, runner, workspace, input } = test;
  return {
    from,
    chain: from === 'self' ? [] : (test.chain?.map(({ value }) => idFor(index, value)) ?? [from]),
    ...(profile === undefined ? {} : { profile }),
    ...(runner === undefined ? {} : { runner }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(input === undefined ? {} : { input }),
    leases: [],
    usage: { concurrent: 0, lastHour: 0 },
  };
}

/** A label that is no peer keeps standing for itself, so that a test may speak of strangers. */
function idFor(index: PolicyIndex, label: string): string {
  return index.config.peers.get(label)?.id ?? index.config.origins.get(label) ?? label;
}

/** `allow:PROFILE/RUNNER`, `ask:CODE` or `deny:CODE`: how tests and people write a decision. */
export function outcomeOf(decision: Decision): string {
  if (decision.effect !== 'allow') return `${decision.effect}:${decision.code}`;
  return `allow:${decision.effectiveProfile}/${decision.effectiveRunner}`;
}

function matches(decision: Decision, expected: string): boolean {
  const outcome = outcomeOf(decision);
  if (outcome === expected || expected === 'allow') return decision.effect === 'allow' || outcome === expected;
  return decision.effect === 'allow' && `allow:${decision.effectiveProfile}` === expected;
}
