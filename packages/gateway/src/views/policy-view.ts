import type { Decision, Deprecation, PolicyChange, PolicyFailure, Violation } from '@writ/policy';
import type { OperationOutput, ViolationView } from '../client/types.ts';

type Explained = OperationOutput<'policy_explain'>;

/** A violation with its place flattened. */
export function viewViolation(violation: Violation): ViolationView {
  return { code: violation.code, ...viewDeprecation(violation) };
}

/** A deprecation with its place flattened. */
export function viewDeprecation(deprecation: Deprecation): Omit<ViolationView, 'code'> {
  const { path, message, position } = deprecation;
  return { path, message, ...(position === undefined ? {} : { line: position.line, column: position.column }) };
}

/** Why the last reload failed. */
export function viewFailure({
  atMs,
  violations,
  unreadable,
}: PolicyFailure): NonNullable<OperationOutput<'policy_status'>['last_error']> {
  return {
    at_ms: atMs,
    violations: violations.map(viewViolation),
    ...(unreadable === undefined ? {} : { unreadable }),
  };
}

/** What a reload would change for whom. */
export function viewChanges(
  changes: readonly PolicyChange[] | undefined,
): { readonly subject: string; readonly effect: 'gains' | 'loses'; readonly what: string }[] {
  return (changes ?? []).map(({ subject, effect, what }) => ({ subject, effect, what }));
}

/** A decision with every rule that was looked at. */
export function viewDecision(decision: Decision, direction: Explained['direction'], subject: string): Explained {
  const { requestedProfile, effectiveProfile, effectiveRunner, grant, leaseId } = decision;
  return {
    direction,
    subject,
    effect: decision.effect,
    code: decision.code,
    message: decision.message,
    next_steps: [...decision.nextSteps],
    ...(requestedProfile === undefined ? {} : { requested_profile: requestedProfile }),
    ...(effectiveProfile === undefined ? {} : { effective_profile: effectiveProfile }),
    ...(effectiveRunner === undefined ? {} : { effective_runner: effectiveRunner }),
    ...(grant === undefined ? {} : { grant: viewGrant(grant) }),
    ...(leaseId === undefined ? {} : { lease_id: leaseId }),
    generation: decision.generation,
    trace: decision.trace.map(({ rule, outcome, detail, path, position }) => ({
      rule,
      outcome,
      detail,
      ...(path === undefined ? {} : { path }),
      ...(position === undefined ? {} : { line: position.line }),
    })),
  };
}

function viewGrant(grant: NonNullable<Decision['grant']>): NonNullable<Explained['grant']> {
  return {
    closure: [...grant.closure],
    rank: grant.rank,
    network: typeof grant.network === 'string' ? grant.network : [...grant.network],
    timeout_ms: grant.timeoutMs,
    max_output_bytes: grant.maxOutputBytes,
    isolation: grant.isolation,
    depth: grant.depth,
  };
}
