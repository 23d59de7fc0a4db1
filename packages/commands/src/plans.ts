import { type PreviewLine, planQuestion, type Refusal } from '@writ/authority';
import type { Approval } from '@writ/lease-store';
import { type Asking, askingOf, type Decided } from './asking.ts';
import type { CommandDeskOptions } from './parts.ts';
import { lifetimeMs } from './proposing.ts';
import { directoryOf, hostRefusal, type ResolvedStep, resolveStep } from './resolving.ts';
import type { CommandCaller, PlanSpec } from './types.ts';

/** Longest time that the window of a plan may be open, milliseconds: eight hours. */
const LONGEST_WINDOW_MS = 28_800_000;

/** A question, or why it was not asked. */
export type PlanOutcome =
  | { readonly asked: true; readonly approval: Approval; readonly steps: readonly ResolvedStep[] }
  | { readonly asked: false; readonly refusal: Refusal };

/** Asks about a plan: each step resolved whole, and within what is granted at this moment. Throws BAD_REQUEST. */
export async function proposePlan(
  options: CommandDeskOptions,
  caller: CommandCaller,
  plan: PlanSpec,
  key: string,
): Promise<PlanOutcome> {
  const asking = askingOf(options, caller, { kind: 'plan', plan }, key);
  const decided = options.database.withWriteTx((tx) => asking.decide(tx));
  if (!decided.allowed) return { asked: false, refusal: decided.refusal };
  const unisolated = hostRefusal(decided);
  if (unisolated !== undefined) return { asked: false, refusal: unisolated };
  const steps: ResolvedStep[] = [];
  for (const step of plan.steps) {
    const cwd = directoryOf(options, step, plan.workspace, asking.place);
    const resolving = await resolveStep(options, asking, decided, { ...step, cwd });
    if (!resolving.resolved) return { asked: false, refusal: resolving.refusal };
    steps.push(resolving.step);
  }
  return askAbout(options, asking, { plan, profile: decided.profile, steps });
}

function askAbout(
  options: CommandDeskOptions,
  { asker, shown, basis, endsAtMs }: Asking,
  {
    plan,
    profile,
    steps,
  }: { readonly plan: PlanSpec; readonly steps: readonly ResolvedStep[] } & Pick<
    Extract<Decided, { allowed: true }>,
    'profile'
  >,
): PlanOutcome {
  const lines: (readonly PreviewLine[])[] = [];
  for (const { lines: shownStep } of steps) {
    if (shownStep === undefined) return UNSHOWABLE;
    lines.push(shownStep);
  }
  const { title, onlySteps, windowMs, maxUses } = plan;
  const asked = {
    ...{ title, onlySteps, windowMs, profile, basis },
    ...(maxUses === undefined ? {} : { maxUses }),
    steps: steps.map(({ digest, facts }) => ({ digest, class: facts.class, needs: facts.needs })),
  };
  return options.database.withWriteTx((tx) => {
    const question = { asker, lifetimeMs: lifetimeMs(tx.nowMs, endsAtMs) };
    options.recordSession(tx, { origin: asker.origin, id: asker.session, agent: asker.agent });
    const outcome = options.gate.approvals.ask(
      tx,
      planQuestion(asked, LONGEST_WINDOW_MS, question, { asker: shown, steps: lines }),
    );
    return outcome.asked ? { asked: true, approval: outcome.approval, steps } : outcome;
  });
}

const UNSHOWABLE: PlanOutcome = {
  asked: false,
  refusal: {
    code: 'BAD_REQUEST',
    message: 'the standard input of a step is no text, which cannot be shown',
    nextSteps: ['put it into a file'],
  },
};
