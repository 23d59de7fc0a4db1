import { type DecisionCode, foldName } from '@writ/core';
import type { IndexedSubject, PolicyIndex, Route } from './policy-index.ts';
import type { DecisionRequest, LeaseFact, Profile } from './types.ts';

/** Why a rule refuses, or leaves it to a person. */
export interface Refusal {
  readonly effect: 'deny' | 'ask';
  readonly code: DecisionCode;
  readonly message: string;
  readonly nextSteps: readonly string[];
  /** Key path of the rule, where it stands in the file. */
  readonly path?: string;
}

/** What is said in a trace of a rule that held. */
export interface Note {
  readonly outcome: 'pass' | 'cut' | 'skip';
  readonly detail: string;
  readonly path?: string;
}

/** What is known so far; each step may add, none takes away. */
export interface Deciding {
  readonly request: DecisionRequest;
  readonly index: PolicyIndex;
  /** This node's own id, folded. */
  readonly selfId: string;
  /** True for a policy's own tests: whatever lease is needed is there. */
  readonly assumeLease: boolean;
  subject: IndexedSubject | undefined;
  requested: Profile | undefined;
  effective: Profile | undefined;
  route: Route | undefined;
  lease: LeaseFact | undefined;
}

/** One rule of the decision. */
export interface Step {
  readonly rule: string;
  /** Undefined where the rule holds; what it establishes is added to `deciding`. */
  readonly check: (deciding: Deciding) => Refusal | undefined;
  /** Describes a rule that held. Only called when somebody reads the trace, so that deciding makes no texts. */
  readonly note: (deciding: Deciding) => Note;
  /**
   * A word for the note where it depends on nothing but this word, the subject and the profile asked for: such a note is
   * made once. Undefined: it depends on more.
   */
  readonly variant: (deciding: Deciding) => string | undefined;
}

/** The note of a step that depends on nothing but the subject and the profile asked for. */
export const always = (): string => '';

export function deny(code: DecisionCode, message: string, nextSteps: readonly string[], path?: string): Refusal {
  return { effect: 'deny', code, message, nextSteps, ...(path === undefined ? {} : { path }) };
}

export function ask(code: DecisionCode, message: string, nextSteps: readonly string[], path?: string): Refusal {
  return { effect: 'ask', code, message, nextSteps, ...(path === undefined ? {} : { path }) };
}

export function pass(detail: string, path?: string): Note {
  return path === undefined ? { outcome: 'pass', detail } : { outcome: 'pass', detail, path };
}

export function skip(detail: string): Note {
  return { outcome: 'skip', detail };
}

/** A later step was reached without what an earlier one establishes; the decision ends as `POLICY_ERROR`. */
export function known<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('a step ran before the step that it builds on');
  return value;
}

/** The entry of a name as a request writes it. Keys are folded, so that a plain hit needs no folding. */
export function findByName<T>(entries: ReadonlyMap<string, T>, written: string): T | undefined {
  return entries.get(written) ?? entries.get(foldName(written) ?? '');
}
