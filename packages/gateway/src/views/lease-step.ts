import { foldName, shellWord } from '@writ/core';
import { MAY_NOT_ASK } from '@writ/policy';
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

/** What was answered to a request. */
interface Refused {
  readonly code: string;
  readonly message: string;
  readonly nextSteps: readonly string[];
}

/**
 * What helps after a refusal; where a lease is missing, the first of it is how to ask for one, unless whoever refused says that it may
 * not be asked for. What a peer says of steps is in its message.
 */
export function stepsAfter({ code, message, nextSteps }: Refused, { to, profile }: LeaseWanted): string[] {
  const label = foldName(to) ?? to;
  const others = ownSteps(nextSteps, label);
  if (code !== 'LEASE_REQUIRED' || message.includes(MAY_NOT_ASK)) return others;
  const peer = label === SELF ? '' : ` --peer ${shellWord(label)}`;
  const command = `writ lease request ${shellWord(profile ?? 'PROFILE')}${peer} --for 1h`;
  return [`ask for one (an agent: tool request_lease): ${command}`, ...others];
}
