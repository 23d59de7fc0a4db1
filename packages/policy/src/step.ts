import type { DecisionCode } from '@writ/core';
import type { IndexedSubject, PolicyIndex } from './policy-index.ts';
import type { DecisionRequest, LeaseFact, Profile } from './types.ts';

/** What a rule found. Texts are made when somebody reads them. */
export type Finding =
  | {
      readonly outcome: 'pass' | 'cut' | 'skip';
      readonly detail: () => string;
      /** Key path of the rule, where it stands in the file. */
      readonly path?: () => string;
    }
  | {
      readonly outcome: 'deny' | 'ask';
      readonly code: DecisionCode;
      readonly message: string;
      readonly nextSteps: readonly string[];
      readonly path?: () => string;
    };

/** What is known so far; each step may add, none takes away. */
export interface Deciding {
  readonly request: DecisionRequest;
  readonly index: PolicyIndex;
  /** This node's own id, folded. */
  readonly selfId: string;
  /** True for a policy's own tests: whatever lease is needed is there. */
  readonly assumeLease: boolean;
  subject?: IndexedSubject;
  requested?: Profile;
  effective?: Profile;
  lease?: LeaseFact;
}

/** One rule of the decision. */
export interface Step {
  readonly rule: string;
  readonly check: (deciding: Deciding) => Finding;
}

/** A rule that holds. */
export function pass(detail: () => string, path?: () => string): Finding {
  return path ? { outcome: 'pass', detail, path } : { outcome: 'pass', detail };
}

/** A rule that has nothing to say here. */
export function skip(detail: string): Finding {
  return { outcome: 'skip', detail: () => detail };
}

/** A rule that refuses. */
export function deny(code: DecisionCode, message: string, nextSteps: readonly string[], path?: () => string): Finding {
  return { outcome: 'deny', code, message, nextSteps, ...(path ? { path } : {}) };
}

/** A rule that leaves it to a person. */
export function ask(code: DecisionCode, message: string, nextSteps: readonly string[], path?: () => string): Finding {
  return { outcome: 'ask', code, message, nextSteps, ...(path ? { path } : {}) };
}

/** A later step was reached without what an earlier one establishes; the decision ends as `POLICY_ERROR`. */
export function known<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('a step ran before the step that it builds on');
  return value;
}
