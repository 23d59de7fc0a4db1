import { digestJson, formatDuration, type Json, WritError } from '@writ/core';
import { workspaceOf } from '../executions/basis.ts';
import { missingRight } from '../executions/needs.ts';
import { assentText, placeText } from '../executions/scopes.ts';
import type { CommandRights } from '../executions/types.ts';
import type { KindRules } from '../record-types.ts';
import type { Windows } from '../windows/windows.ts';
import { type Plan, readPlan } from './plan.ts';
import { askerLines, type Preview, type PreviewLine, type ShownAsker, showLines } from './showing.ts';
import type { Question } from './types.ts';

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
  { title, steps, onlySteps, windowMs, maxUses, profile, basis }: Plan,
  { asker }: Pick<Question, 'asker'>,
  { asker: shownAsker, steps: stepLines }: PlanLines,
): Preview {
  const place = placeText(workspaceOf(basis));
  const uses = maxUses === undefined ? 'each step as often as it likes' : `${maxUses} times at most`;
  return showLines([
    { label: 'plan', text: title },
    ...askerLines(shownAsker, asker),
    { label: 'profile', text: profile },
    {
      label: 'a yes opens',
      text: `the assent window of this agent in this session ${place} for ${formatDuration(windowMs)}, ${uses}`,
    },
    {
      label: 'it covers',
      text: onlySteps ? 'these steps only' : `these steps, and besides ${assentText(workspaceOf(basis))}`,
    },
    ...steps.flatMap((step, at) => [
      { label: `step ${at + 1}`, text: step.class === 'destructive' ? 'destructive: asks again' : step.class },
      ...(stepLines[at] ?? []).map(({ label, text }) => ({ label: `step ${at + 1}, ${label}`, text })),
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
      const workspace = workspaceOf(plan.basis);
      openWindow(tx, {
        ...{ kind: 'assent', origin, session, agent, profile, approval: id },
        expiresAtMs: tx.nowMs + windowMs,
        ...(workspace === undefined ? {} : { workspace }),
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
