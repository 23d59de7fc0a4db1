import { foldName, shellWord } from '@writ/core';
import { SELF } from '../operations/peer-lookup.ts';

/** What was asked for, and of whom. */
export interface LeaseWanted {
  /** Label of the node that was asked, or `self`. */
  readonly to: string;
  /** Absent: that node's default. */
  readonly profile?: string | undefined;
}

/** What helps after a refusal; where a lease is missing, the first of it is how to ask for one. */
export function stepsAfter(code: string, steps: readonly string[], { to, profile }: LeaseWanted): string[] {
  if (code !== 'LEASE_REQUIRED') return [...steps];
  const peer = foldName(to) === SELF ? '' : ` --peer ${shellWord(foldName(to) ?? to)}`;
  const command = `writ lease request ${shellWord(profile ?? 'PROFILE')}${peer} --for 1h`;
  return [`ask for one (an agent: tool request_lease): ${command}`, ...steps];
}
