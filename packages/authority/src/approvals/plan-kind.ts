import { digestJson, formatDuration, type Json, WritError } from '@writ/core';
import { fieldsOf } from '@writ/database';
import type { Approval } from '@writ/lease-store';
import { z } from 'zod';
import { missingRight } from '../executions/needs.ts';
import type { CommandRights } from '../executions/types.ts';
import type { KindRules } from '../record-types.ts';
import type { Windows } from '../windows/windows.ts';
import { askerLines, type Preview, type PreviewLine, type ShownAsker, showLines } from './showing.ts';
import type { Question } from './types.ts';

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

/** What a plan shows besides itself. */
export interface PlanLines {
  readonly asker: ShownAsker;
  /** Of each step, whole, in their order. */
  readonly steps: readonly (readonly PreviewLine[])[];
}

/**
 * The question that a plan is. Throws BAD_REQUEST for a plan
 * without steps, or whose window has no usable bounds.
 */
export function planQuestion(
  plan: Plan,
  mostWindowMs: number,
  question: Pick<Question, 'asker' | 'lifetimeMs'>,
  shown: PlanLines,
): Question {
  const { steps, windowMs, maxUses } = plan;
  const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value > 0;
  if (steps.length === 0) throw unusable('a plan has no steps', 'name what it would run');
  if (!isWhole(windowMs) || windowMs > mostWindowMs || (maxUses !== undefined && !isWhole(maxUses))) {
    throw unusable('the window of a plan has no usable bounds', `open it for ${formatDuration(mostWindowMs)} at most`);
  }
  const subject: Json = JSON.parse(JSON.stringify(plan));
  return {
    ...question,
    kind: 'plan',
    digest: digestOf(plan),
    subject,
    scopes: ['session'],
    preview: show(plan, question, shown),
  };
}

function unusable(message: string, nextStep: string): WritError {
  return new WritError('BAD_REQUEST', message, { nextSteps: [nextStep] });
}

function show(
  { title, steps, onlySteps, windowMs, maxUses, profile }: Plan,
  { asker }: Pick<Question, 'asker'>,
  { asker: shownAsker, steps: stepLines }: PlanLines,
): Preview {
  const uses = maxUses === undefined ? '' : `, ${maxUses} times at most`;
  return showLines([
    { label: 'plan', text: title },
    ...askerLines(shownAsker, asker),
    { label: 'profile', text: profile },
    {
      label: 'a yes opens',
      text: `the assent window of this agent in this session for ${formatDuration(windowMs)}${uses}`,
    },
    {
      label: 'it covers',
      text: onlySteps ? 'these steps only' : 'every configuration change of known programs under this profile',
    },
    ...steps.flatMap((step, place) => [
      { label: `step ${place + 1}`, text: step.class === 'destructive' ? 'destructive: asks again' : step.class },
      ...(stepLines[place] ?? []).map(({ label, text }) => ({ label: `step ${place + 1}, ${label}`, text })),
    ]),
  ]);
}

/** Approving a plan opens the assent window of its agent in its session. Destructive steps ask again. */
export function createPlanKind(rights: CommandRights, openWindow: Windows['open']): KindRules {
  return {
    refusal(tx, approval) {
      const plan = readPlan(approval);
      if (plan === undefined) return UNREADABLE;
      // Each step by its own class: what policy would refuse when it runs is not promised now.
      const looked = rights.look(tx, { ...approval, ...plan });
      return plan.steps.map((step) => missingRight(looked, step)).find((missing) => missing !== undefined);
    },
    // The window covers steps by their own digests, each compared when it runs: what changes meanwhile is not covered.
    digestNow(_, approval) {
      const plan = readPlan(approval);
      return plan && digestOf(plan);
    },
    settle(tx, approval) {
      const plan = approval.state === 'approved' ? readPlan(approval) : undefined;
      if (plan === undefined) return;
      const { origin, session, agent, id } = approval;
      const { profile, windowMs, maxUses, onlySteps, steps } = plan;
      openWindow(tx, {
        ...{ kind: 'assent', origin, session, agent, profile, approval: id },
        expiresAtMs: tx.nowMs + windowMs,
        ...(maxUses === undefined ? {} : { maxUses }),
        ...(onlySteps ? { steps: steps.map(({ digest }) => digest) } : {}),
      });
    },
  };
}

const UNREADABLE = {
  code: 'POLICY_ERROR',
  message: 'the plan cannot be read',
  nextSteps: ['propose it anew'],
} as const;

/** Under whatever key it is asked, the same plan is the same question while it waits. */
function digestOf({ request: _, ...plan }: Plan): string {
  return digestJson(JSON.parse(JSON.stringify(plan)) as Json);
}

/** The plan that a question is about; undefined where it cannot be read. */
export function readPlan({ subject }: Pick<Approval, 'subject'>): Plan | undefined {
  return planSchema.safeParse(subject).data;
}
