import { approvalStep, grantStep, leaseStep, limitStep, workspaceStep } from './grant-steps.ts';
import { allowedStep, ceilingStep, existsStep, namedStep, rankStep, runnerStep } from './profile-steps.ts';
import type { Step } from './step.ts';
import { chainStep, subjectStep } from './subject-steps.ts';

/**
 * The decision, as one list in one place. The first denial ends it; an `ask` is remembered and a later denial wins.
 * INVARIANT: 1 no step gives back what an earlier one took.
 */
export const STEPS: readonly Step[] = [
  subjectStep,
  chainStep,
  namedStep,
  existsStep,
  allowedStep,
  ceilingStep,
  rankStep,
  runnerStep,
  grantStep,
  workspaceStep,
  leaseStep,
  limitStep,
  approvalStep,
];
