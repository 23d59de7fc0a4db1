import type { OperationOutput } from '../client/types.ts';
import { policyContract } from '../contract/policy.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import { viewChanges, viewDecision, viewDeprecation, viewFailure, viewViolation } from '../views/policy-view.ts';
import { findPeer, foldLetters, SELF } from './peer-lookup.ts';
import { refuseAlone } from './separation.ts';

/** The policy of this node; for a person. */
export function policyOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { config, engine } = ports;
  return [
    implement(policyContract.policy_validate, async ({ text }) => {
      const { violations, deprecations } = await config.validate(text ?? (await config.text()));
      return {
        valid: violations.length === 0,
        violations: violations.map(viewViolation),
        deprecations: deprecations.map(viewDeprecation),
      };
    }),
    implement(policyContract.policy_explain, (input) => explain(ports, input)),
    implement(policyContract.policy_test, async () => {
      const tests = await config.test(await config.text());
      return {
        passed: tests.every(({ ok }) => ok),
        tests: tests.map(({ name, ok, expected, got, line }) => ({
          name,
          ok,
          expected,
          got,
          ...(line === undefined ? {} : { line }),
        })),
      };
    }),
    implement(policyContract.policy_reload, async ({ accept }) => {
      if (accept) refuseAlone(ports, 'what gives somebody more', 'writ policy reload --accept');
      const outcome = await config.reload({ accept });
      return {
        reloaded: outcome.reloaded,
        generation: outcome.generation,
        violations: (outcome.violations ?? []).map(viewViolation),
        parked: viewChanges(outcome.parked),
        restart_needed: [...outcome.restartNeeded],
      };
    }),
    implement(policyContract.policy_status, () => {
      const { generation, digest, loadedAtMs, deprecations, lastError, parked, isShut, restartNeeded } =
        engine.status();
      const unusedYesAtMs = config.unusedYesAtMs();
      return {
        generation,
        digest,
        loaded_at_ms: loadedAtMs,
        deprecations: deprecations.map(viewDeprecation),
        ...(lastError === undefined ? {} : { last_error: viewFailure(lastError) }),
        parked: viewChanges(parked),
        ...(unusedYesAtMs === undefined ? {} : { unused_yes_at_ms: unusedYesAtMs }),
        shut: isShut,
        restart_needed: [...restartNeeded],
      };
    }),
  ];
}

interface Question {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly profile?: string | undefined;
  readonly workspace?: string | undefined;
  readonly runner?: string | undefined;
}

/** Decides with the same engine, leases and usage as the mesh server, and changes nothing. */
function explain({ engine, authority }: GatewayPorts, question: Question): OperationOutput<'policy_explain'> {
  const named = {
    ...(question.profile === undefined ? {} : { profile: foldLetters(question.profile) }),
    ...(question.workspace === undefined ? {} : { workspace: foldLetters(question.workspace) }),
  };
  if (question.to !== undefined && foldLetters(question.to) !== SELF) {
    const to = foldLetters(question.to);
    return viewDecision(engine.decideOutbound({ to, ...named, ship: false }), 'outgoing', to);
  }
  const from = foldLetters(question.from ?? SELF);
  const id = from === SELF ? SELF : (findPeer(engine.snapshot().config, from)?.id ?? from);
  const decision = authority.preview(
    { from: id, origin: id, session: '' },
    {
      chain: id === SELF ? [] : [id],
      ...named,
      ...(question.runner === undefined ? {} : { runner: foldLetters(question.runner) }),
    },
  );
  return viewDecision(decision, 'incoming', from);
}
