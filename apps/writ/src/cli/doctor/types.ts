import type { WritError } from '@writ/core';
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

/** A look at one side of the installation. Throws for nothing that it looks for. */
export type Look = (patient: Patient) => Promise<readonly Finding[]>;

/** All is well. */
export function fine(check: string, says: string): Finding {
  return { check, state: 'ok', says, mend: [] };
}
