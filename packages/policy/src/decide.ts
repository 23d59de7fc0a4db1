import type { DecisionCode } from '@writ/core';
import { meetNetworks } from './network.ts';
import type { PolicyIndex } from './policy-index.ts';
import { type Deciding, type Finding, known, type Step } from './step.ts';
import { STEPS } from './steps.ts';
import type { Decision, DecisionRequest, Grant, TraceStep } from './types.ts';

/** Facts that are neither in the request nor in the policy. */
export interface DecisionFrame {
  readonly generation: number;
  /** This node's own id, folded. */
  readonly selfId: string;
  /** True only for a policy's own tests. */
  readonly assumeLease?: boolean;
}

type Refusal = Extract<Finding, { readonly outcome: 'deny' | 'ask' }>;

/** One policy's answer to one request: a value, also where deciding itself goes wrong. */
export function decideWith(index: PolicyIndex, request: DecisionRequest, frame: DecisionFrame): Decision {
  const deciding: Deciding = {
    request,
    index,
    selfId: frame.selfId,
    assumeLease: frame.assumeLease ?? false,
  };
  const findings: Finding[] = [];
  try {
    return describe(runSteps(deciding, findings), deciding, findings, frame.generation);
  } catch {
    const refusal: Refusal = {
      outcome: 'deny',
      code: 'POLICY_ERROR',
      message: 'the policy could not be evaluated for this request',
      nextSteps: ['run: writ policy validate'],
    };
    return describe(refusal, { request, index, selfId: frame.selfId, assumeLease: false }, findings, frame.generation);
  }
}

function runSteps(deciding: Deciding, findings: Finding[]): Refusal | undefined {
  let asked: Refusal | undefined;
  for (const { check } of STEPS) {
    const finding = check(deciding);
    findings.push(finding);
    if (finding.outcome === 'deny') return finding;
    if (finding.outcome === 'ask') asked ??= finding;
  }
  return asked;
}

function describe(
  refusal: Refusal | undefined,
  deciding: Deciding,
  findings: readonly Finding[],
  generation: number,
): Decision {
  const { request, requested, effective, lease, index } = deciding;
  const denied = refusal?.outcome === 'deny';
  let trace: readonly TraceStep[] | undefined;
  return {
    effect: refusal?.outcome ?? 'allow',
    code: refusal?.code ?? 'OK',
    message: refusal?.message ?? `${known(effective).name} is allowed`,
    nextSteps: refusal?.nextSteps ?? [],
    ...(requested ? { requestedProfile: requested.name } : askedFor(request)),
    ...(effective ? { effectiveProfile: effective.name, effectiveRunner: effective.runner } : {}),
    ...(effective && !denied ? { grant: grantOf(deciding) } : {}),
    ...(lease && !denied ? { leaseId: lease.id } : {}),
    generation,
    get trace() {
      trace ??= findings.map((finding, place) => traceStep(STEPS[place], finding, index));
      return trace;
    },
  };
}

function askedFor(request: DecisionRequest): { readonly requestedProfile?: string } {
  return request.profile === undefined ? {} : { requestedProfile: request.profile };
}

function grantOf(deciding: Deciding): Grant {
  const effective = known(deciding.effective);
  const { maxDepth } = known(deciding.subject).rules;
  const { grantNetwork, grantMaxOutputBytes, depthLeft } = deciding.request;
  return {
    closure: effective.closure,
    rank: effective.rank,
    network: grantNetwork === undefined ? effective.network : meetNetworks(effective.network, grantNetwork),
    timeoutMs: effective.timeoutMs,
    maxOutputBytes: Math.min(effective.maxOutputBytes, grantMaxOutputBytes ?? effective.maxOutputBytes),
    isolation: effective.isolation,
    depth: Math.min(depthLeft ?? maxDepth, maxDepth),
  };
}

function traceStep(step: Step | undefined, finding: Finding, index: PolicyIndex): TraceStep {
  const path = finding.path?.();
  const position = path === undefined ? undefined : index.position(path);
  return {
    rule: step?.rule ?? '',
    outcome: finding.outcome,
    detail: 'detail' in finding ? finding.detail() : finding.message,
    ...(path === undefined ? {} : { path }),
    ...(position ? { position } : {}),
  };
}

/** What the peer that asked is told: which profiles exist is not for it to learn, nor how the file is written. */
export function decisionForPeer(decision: Decision): Decision {
  const code: DecisionCode | 'OK' = decision.code === 'PROFILE_UNKNOWN' ? 'PROFILE_NOT_ALLOWED' : decision.code;
  return { ...decision, code, trace: [] };
}
