import { checkApproval, checkGrants, checkLease, checkLimits, checkWorkspace } from './grant-steps.ts';
import { applyCeilings, checkAllowed, checkExists, checkNamed, checkRank, checkRunner } from './profile-steps.ts';
import type { Step } from './step.ts';
import { checkChain, checkSubject } from './subject-steps.ts';

/**
 * The decision, as one list in one place. The first denial ends it; an `ask` is remembered and a later denial wins.
 * INVARIANT: 1 no step gives back what an earlier one took.
 */
export const STEPS: readonly Step[] = [
  { rule: 'peer', check: checkSubject },
  { rule: 'chain', check: checkChain },
  { rule: 'profile named', check: checkNamed },
  { rule: 'profile exists', check: checkExists },
  { rule: 'profile allowed', check: checkAllowed },
  { rule: 'ceilings', check: applyCeilings },
  { rule: 'rank', check: checkRank },
  { rule: 'runner', check: checkRunner },
  { rule: 'grants', check: checkGrants },
  { rule: 'workspace', check: checkWorkspace },
  { rule: 'lease', check: checkLease },
  { rule: 'limits', check: checkLimits },
  { rule: 'approval', check: checkApproval },
];
