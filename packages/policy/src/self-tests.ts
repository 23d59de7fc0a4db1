import { quote } from '@writ/core';
import { decideWith } from './decide.ts';
import type { PolicyIndex } from './policy-index.ts';
import type { Placed, Report } from './readers.ts';
import type { TestDocument } from './schema.ts';
import type { Decision, DecisionRequest } from './types.ts';

/** Runs the `[[tests]]` of a configuration on its own policy; one that fails rejects the load. */
export function runSelfTests(
  tests: readonly Placed<TestDocument>[],
  index: PolicyIndex,
  report: Report,
): { readonly ran: number } {
  for (const { path, value: test } of tests) {
    const from = test.from?.value ?? '';
    const request: DecisionRequest = {
      from: idFor(index, from),
      chain: from === 'self' ? [] : (test.chain?.map(({ value }) => idFor(index, value)) ?? [idFor(index, from)]),
      ...(test.profile === undefined ? {} : { profile: test.profile }),
      ...(test.runner === undefined ? {} : { runner: test.runner }),
      ...(test.workspace === undefined ? {} : { workspace: test.workspace }),
      ...(test.input === undefined ? {} : { input: test.input }),
      leases: [],
      usage: { concurrent: 0, lastHour: 0 },
    };
    // A policy is tested without a node, so the label `self` stands for its id in a chain.
    const decision = decideWith(index, request, { generation: 0, selfId: 'self', assumeLease: test.lease });
    if (matches(decision, test.expect ?? '')) continue;
    const message = `expected ${quote(test.expect ?? '')}, decided ${quote(outcomeOf(decision))}: ${decision.message}`;
    report('TEST_FAILED', path, message);
  }
  return { ran: tests.length };
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
