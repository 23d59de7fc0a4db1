import { type Asker, type Plan, type PreviewLine, planQuestion, type Refusal, readPlan } from '@writ/authority';
import { nextTurn, WritError } from '@writ/core';
import type { ReadTx } from '@writ/database';
import type { Approval } from '@writ/lease-store';
import { type Asking, askingOf, type Decided } from './asking.ts';
import type { CommandDeskOptions, DeskParts } from './parts.ts';
import { decideInTime, lifetimeMs } from './proposing.ts';
import { directoryOf, hostRefusal, type ResolvedStep, resolveStep } from './resolving.ts';
import type { CommandCaller, PlanSpec, QuestionView } from './types.ts';
import { wishDigest } from './wish.ts';

/** Longest time that the window of a plan may be open, milliseconds: eight hours. */
const LONGEST_WINDOW_MS = 28_800_000;

type Request = NonNullable<Plan['request']>;

/** A question, or why it was not asked. */
export type PlanOutcome =
  | { readonly asked: true; readonly approval: Approval; readonly steps: QuestionView['steps'] }
  | { readonly asked: false; readonly refusal: Refusal };

/**
 * Asks about a plan: each step resolved whole, and within what is granted at this moment. The same plan under the same key
 * is the same question, whatever became of it. Throws BAD_REQUEST, CONFLICT for a key that was used for another plan, CANCELLED
 * once `signal` is aborted.
 */
export async function proposePlan(
  options: DeskParts,
  caller: CommandCaller,
  { plan, key, signal }: { readonly plan: PlanSpec; readonly key: string; readonly signal: AbortSignal | undefined },
): Promise<PlanOutcome> {
  const asking = askingOf(options, caller, { kind: 'plan', plan }, key);
  const request = { key, digest: wishDigest({ kind: 'plan', plan }) };
  const known = options.database.withReadTx((tx) => findKnown(options, tx, asking.asker, { plan, request }));
  if (known !== undefined) return known;
  const decided = decideInTime(options, asking, 'plan');
  if (!decided.allowed) return { asked: false, refusal: decided.refusal };
  const unisolated = hostRefusal(decided);
  if (unisolated !== undefined) return { asked: false, refusal: unisolated };
  const steps: ResolvedStep[] = [];
  for (const step of plan.steps) {
    // A step is a good piece of work: others have their turn in between, and for nobody none is begun.
    await nextTurn();
    if (signal?.aborted) throw new WritError('CANCELLED', 'nobody waits for the plan any more');
    const cwd = directoryOf(options, step, plan.workspace, asking.place);
    const resolving = await resolveStep(options, { ...asking, signal }, decided, { ...step, cwd });
    if (!resolving.resolved) return { asked: false, refusal: resolving.refusal };
    steps.push(resolving.step);
  }
  return askAbout(options, asking, { plan, request, profile: decided.profile, steps });
}

/** What was asked under the key; INVARIANT: 5 one key is one question, and another plan under it is none. */
function findKnown(
  { gate }: Pick<CommandDeskOptions, 'gate'>,
  tx: ReadTx,
  asker: Asker,
  { plan, request }: { readonly plan: PlanSpec; readonly request: Request },
): PlanOutcome | undefined {
  const approval = gate.approvals.findByRequest(tx, { ...asker, kind: 'plan', key: request.key });
  const stored = approval && readPlan(approval);
  if (approval === undefined || stored === undefined) return undefined;
  if (stored.request?.digest !== request.digest) {
    throw new WritError('CONFLICT', 'this key was used for another plan', {
      nextSteps: ['propose a different plan under a new key'],
    });
  }
  const steps = stored.steps.map(({ class: of, needs, target }, place) => ({
    ...{ argv: plan.steps[place]?.argv ?? [], class: of, needs },
    ...(target === undefined ? {} : { target }),
  }));
  return { asked: true, approval, steps };
}

function askAbout(
  options: CommandDeskOptions,
  { asker, shown, basis, endsAtMs }: Asking,
  {
    plan,
    request,
    profile,
    steps,
  }: { readonly plan: PlanSpec; readonly request: Request; readonly steps: readonly ResolvedStep[] } & Pick<
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
    ...{ title, onlySteps, windowMs, profile, basis, request },
    ...(maxUses === undefined ? {} : { maxUses }),
    steps: steps.map(({ digest, facts: { class: of, needs, target } }) => ({
      ...{ digest, class: of, needs },
      ...(target === undefined ? {} : { target }),
    })),
  };
  return options.database.withWriteTx((tx) => {
    // Of two calls with one key the later one finds what the first has asked since it looked.
    const known = findKnown(options, tx, asker, { plan, request });
    if (known !== undefined) return known;
    const question = { asker, lifetimeMs: lifetimeMs(tx.nowMs, endsAtMs) };
    options.recordSession(tx, { origin: asker.origin, id: asker.session, agent: asker.agent });
    const outcome = options.gate.approvals.ask(
      tx,
      planQuestion(asked, LONGEST_WINDOW_MS, question, { asker: shown, steps: lines }),
    );
    if (!outcome.asked) return outcome;
    const shownSteps = steps.map(({ request: { argv }, facts: { class: of, needs, target } }) => ({
      ...{ argv, class: of, needs },
      ...(target === undefined ? {} : { target }),
    }));
    return { asked: true, approval: outcome.approval, steps: shownSteps };
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
