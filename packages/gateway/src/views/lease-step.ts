import { foldName, shellWord } from '@writ/core';
import { SELF } from '../operations/peer-lookup.ts';

/** What was asked for, and of whom. */
export interface LeaseWanted {
  /** Label of the node that was asked, or `self`. */
  readonly to: string;
  /** Absent: that node's default. */
  readonly profile?: string | undefined;
}

/** The steps of this node after a refusal; where a node named `label` refused, it gave none that are typed as they stand. */
export function ownSteps(steps: readonly string[], label: string): string[] {
  return steps.length > 0 || label === SELF ? [...steps] : [`ask a person at ${shellWord(label)}`];
}

/**
 * What helps after a refusal; where a lease is missing, the first of it is how to ask for one. What a peer says of steps is in its
 * message.
 */
export function stepsAfter(code: string, steps: readonly string[], { to, profile }: LeaseWanted): string[] {
  const label = foldName(to) ?? to;
  const others = ownSteps(steps, label);
  if (code !== 'LEASE_REQUIRED') return others;
  const peer = label === SELF ? '' : ` --peer ${shellWord(label)}`;
  const command = `writ lease request ${shellWord(profile ?? 'PROFILE')}${peer} --for 1h`;
  return [`ask for one (an agent: tool request_lease): ${command}`, ...others];
}
