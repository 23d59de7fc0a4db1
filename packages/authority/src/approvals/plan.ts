import type { Json } from '@writ/core';
import { fieldsOf } from '@writ/database';
import type { Approval, Execution } from '@writ/lease-store';
import { z } from 'zod';

/** One step of a plan, resolved whole. */
export interface PlanStep {
  /** Digest of the action. */
  readonly digest: string;
  readonly class: 'read' | 'config-mutation' | 'destructive';
  readonly needs: readonly string[];
  /** What it works on, where the rules know. */
  readonly target?: string;
}

/** A plan as it is proposed: approving it opens the assent window of its agent in its session. */
export interface Plan {
  readonly title: string;
  readonly steps: readonly PlanStep[];
  /** The window covers these steps only. */
  readonly onlySteps: boolean;
  /** How long the window is open, milliseconds. */
  readonly windowMs: number;
  /** How often it may be used; absent: unlimited. */
  readonly maxUses?: number;
  readonly profile: string;
  readonly basis: Json;
  /** Which request of the asker's it answers, and the digest of what that said: one key is one question. */
  readonly request?: { readonly key: string; readonly digest: string };
}

const planSchema = z.object(
  fieldsOf<Plan>()({
    title: z.string(),
    steps: z.array(
      z.object({
        digest: z.string(),
        class: z.enum(['read', 'config-mutation', 'destructive']),
        needs: z.array(z.string()),
        target: z.string().optional(),
      }),
    ),
    onlySteps: z.boolean(),
    windowMs: z.number().int().positive(),
    maxUses: z.number().int().positive().optional(),
    profile: z.string(),
    basis: z.json(),
    request: z.object({ key: z.string(), digest: z.string() }).optional(),
  }),
);

/** The plan that a question is about; undefined where it cannot be read. */
export function readPlan({ subject }: Pick<Approval, 'subject'>): Plan | undefined {
  return planSchema.safeParse(subject).data;
}

/** Whether a question, about a plan or about `execution`, named this very target to who answered it. */
export function namesTarget(approval: Approval, execution: Execution | undefined, target: string | undefined): boolean {
  const steps = approval.kind === 'plan' ? readPlan(approval)?.steps : undefined;
  return (
    target !== undefined && [...(steps ?? []), ...(execution ? [execution] : [])].some((one) => one.target === target)
  );
}

/** Whether a question is about a plan that lists this very action: who said yes to it has seen it whole. */
export function listsStep(approval: Approval, digest: string): boolean {
  return approval.kind === 'plan' && readPlan(approval)?.steps.some((step) => step.digest === digest) === true;
}
