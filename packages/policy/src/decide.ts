import { foldName } from '@writ/core';
import { meetNetworks } from './network.ts';
import type { PolicyIndex } from './policy-index.ts';
import { type Deciding, known, type Note, type Refusal, type Step } from './step.ts';
import { STEPS } from './steps.ts';
import type { Decision, DecisionRequest, Grant, TraceStep } from './types.ts';

/** Facts that are neither in the request nor in the policy. */
interface DecisionFrame {
  readonly generation: number;
  /** This node's own id, folded. */
  readonly selfId: string;
  /** True only for a policy's own tests. */
  readonly assumeLease?: boolean;
}

/** How far the list went. */
interface Course {
  /** The answer, unless it is a plain allow. */
  readonly refusal: Refusal | undefined;
  /** Every step that refused or asked. */
  readonly refusals: Map<Step, Refusal> | undefined;
  /** Steps that were looked at. */
  readonly looked: number;
}

/** One policy's answer to one request: a value, also where deciding itself goes wrong. */
export function decideWith(index: PolicyIndex, request: DecisionRequest, frame: DecisionFrame): Decision {
  const deciding: Deciding = {
    request,
    index,
    selfId: frame.selfId,
    assumeLease: frame.assumeLease === true,
    subject: undefined,
    requested: undefined,
    effective: undefined,
    route: undefined,
    lease: undefined,
  };
  try {
    return answer(runSteps(deciding), deciding, frame.generation);
  } catch {
    return answerError(frame.generation);
  }
}

function runSteps(deciding: Deciding): Course {
  let first: Refusal | undefined;
  let refusals: Map<Step, Refusal> | undefined;
  for (let at = 0; at < STEPS.length; at++) {
    const step = known(STEPS[at]);
    const refusal = step.check(deciding);
    if (refusal === undefined) continue;
    refusals ??= new Map();
    refusals.set(step, refusal);
    if (refusal.effect === 'deny') return { refusal, refusals, looked: at + 1 };
    first ??= refusal;
  }
  return { refusal: first, refusals, looked: STEPS.length };
}

function answer(course: Course, deciding: Deciding, generation: number): Decision {
  const { refusal } = course;
  const { request, requested, effective, lease } = deciding;
  const denied = refusal?.effect === 'deny';
  let trace: readonly TraceStep[] | undefined;
  return {
    effect: refusal?.effect ?? 'allow',
    code: refusal?.code ?? 'OK',
    message: refusal?.message ?? `${known(effective).name} is allowed`,
    nextSteps: refusal?.nextSteps ?? NO_STEPS,
    requestedProfile: requested?.name ?? foldedOr(request.profile),
    effectiveProfile: effective?.name,
    effectiveRunner: effective?.runner,
    grant: denied ? undefined : grantOf(deciding),
    leaseId: denied ? undefined : lease?.id,
    generation,
    get trace() {
      trace ??= traceOf(course, deciding);
      return trace;
    },
  };
}

const NO_STEPS: readonly string[] = [];

function answerError(generation: number): Decision {
  const message = 'the policy could not be evaluated for this request';
  const detail = { rule: 'evaluation', outcome: 'deny', detail: message } as const;
  const nextSteps = ['run: writ policy validate'];
  return { effect: 'deny', code: 'POLICY_ERROR', message, nextSteps, generation, trace: [detail] };
}

/** As a defined one would be shown: the letter case tells nothing about which profiles there are. */
function foldedOr(written: string | undefined): string | undefined {
  return written === undefined ? undefined : (foldName(written) ?? written);
}

function grantOf(deciding: Deciding): Grant {
  const { closure, rank, network, timeoutMs, maxOutputBytes, isolation } = known(deciding.effective);
  const { maxDepth } = known(deciding.subject).rules;
  const { grantNetwork, grantMaxOutputBytes, depthLeft } = deciding.request;
  return {
    closure,
    rank,
    network: grantNetwork === undefined ? network : meetNetworks(network, grantNetwork),
    timeoutMs,
    maxOutputBytes: Math.min(maxOutputBytes, grantMaxOutputBytes ?? maxOutputBytes),
    isolation,
    depth: Math.min(depthLeft ?? maxDepth, maxDepth),
  };
}

function traceOf({ refusals, looked }: Course, deciding: Deciding): readonly TraceStep[] {
  const trace: TraceStep[] = [];
  for (let at = 0; at < looked; at++) {
    const step = known(STEPS[at]);
    const refusal = refusals?.get(step);
    trace.push(refusal ? traceStep(step.rule, refusal, deciding.index) : noteLine(step, at, deciding));
  }
  return trace;
}

/** The line of a rule that held; the same object where it says the same about the same subject and profile. */
function noteLine(step: Step, at: number, deciding: Deciding): TraceStep {
  const { route, index } = deciding;
  const variant = route && step.variant(deciding);
  if (route === undefined || variant === undefined) return traceStep(step.rule, step.note(deciding), index);
  const made = route.lines[at]?.get(variant);
  if (made) return made;
  const line = Object.freeze(traceStep(step.rule, step.note(deciding), index));
  const lines = route.lines[at] ?? new Map<string, TraceStep>();
  route.lines[at] = lines.set(variant, line);
  return line;
}

/** One line of a trace, with its place in the file. */
export function traceStep(rule: string, found: Refusal | Note, index: PolicyIndex): TraceStep {
  const { path } = found;
  const outcome = 'effect' in found ? found.effect : found.outcome;
  const detail = 'effect' in found ? found.message : found.detail;
  if (path === undefined) return { rule, outcome, detail };
  const position = index.position(path);
  return position ? { rule, outcome, detail, path, position } : { rule, outcome, detail, path };
}

/** What the peer that asked is told: which profiles exist is not for it to learn, nor how the file is written. */
export function decisionForPeer(decision: Decision): Decision {
  const { effect, code, message, nextSteps, requestedProfile, effectiveProfile, effectiveRunner } = decision;
  const { grant, leaseId, generation } = decision;
  return {
    effect,
    code: code === 'PROFILE_UNKNOWN' ? 'PROFILE_NOT_ALLOWED' : code,
    message,
    nextSteps,
    requestedProfile,
    effectiveProfile,
    effectiveRunner,
    grant,
    leaseId,
    generation,
    trace: [],
  };
}
