import { toWritError, type WritError } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';
import type { CliContext } from '../context.ts';

/** What a look at one thing came to. */
export interface Finding {
  /** What was looked at, in a word or two. */
  readonly check: string;
  /** `note`: as somebody chose it, and worth knowing. */
  readonly state: 'ok' | 'note' | 'warning' | 'problem';
  /** What is so. */
  readonly says: string;
  /** Commands that mend it, best first. */
  readonly mend: readonly string[];
}

/** What every look starts from. */
export interface Patient {
  readonly context: CliContext;
  /** What the running node says of itself; undefined where none answers. */
  readonly status: OperationOutput<'node_status'> | undefined;
  /** Why it did not, where there is no status. */
  readonly unanswered?: WritError;
}

/** A look at one side of the installation. What it throws is a problem of its own. */
export type Look = (patient: Patient) => Promise<readonly Finding[]>;

/** What was thrown, and what it says to do. */
export function asProblem(check: string, error: unknown): Finding {
  const { message, nextSteps } = toWritError(error);
  return { check, state: 'problem', says: message, mend: [...nextSteps] };
}

/** All is well. */
export function fine(check: string, says: string): Finding {
  return { check, state: 'ok', says, mend: [] };
}
