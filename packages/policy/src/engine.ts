import { type Clock, createRwLock, WritError } from '@writ/core';
import { type CompileOptions, compileConfig, formatViolations } from './compile.ts';
import { decideWith } from './decide.ts';
import { diffPolicies } from './diff.ts';
import { foldId } from './ids.ts';
import { meetConfigs } from './meet.ts';
import { decideOutboundWith } from './outbound.ts';
import type { CompiledPolicy } from './policy-index.ts';
import { stricterDecision } from './stricter.ts';
import type {
  Config,
  Decision,
  DecisionRequest,
  OutboundRequest,
  PolicyChange,
  PolicyEngine,
  PolicyStatus,
  ReloadOutcome,
  Snapshot,
  Violation,
} from './types.ts';

export interface PolicyEngineOptions extends CompileOptions {
  readonly text: string;
  readonly clock: Clock;
  /** This node's own id: work that was here before is refused. */
  readonly selfId: string;
  /**
   * The text that a person has accepted last, from before a restart. Where `text` gives more, the difference is
   * parked from the start. Absent: `text` itself is the accepted one.
   */
  readonly acceptedText?: string;
}

/** What is in force: swapped as one reference, so that nobody sees half of a change. */
interface InForce {
  readonly snapshot: Snapshot;
  /** The policy of the file. */
  readonly current: CompiledPolicy;
  /** The policy that a person has accepted last; the same object as `current` unless a change is parked. */
  readonly accepted: CompiledPolicy;
  readonly parked: readonly PolicyChange[];
  readonly loadedAtMs: number;
}

/** A text that nothing has accepted: it lets nobody in. */
const NOTHING = 'schema = 1\n[node]\nname = "nothing"\n';

/**
 * The engine of one node. It exists only after the text has loaded and its own tests have held; throws CONFIG_INVALID
 * with every violation otherwise.
 */
export function createPolicyEngine(options: PolicyEngineOptions): PolicyEngine {
  const { clock } = options;
  const selfId = foldId(options.selfId);
  const lock = createRwLock();
  const listeners = new Set<(now: Snapshot, before: Snapshot) => void>();
  const current = compileOrThrow(options.text, options);
  // Addresses are bound once, at the start of the process.
  const started = current.config;
  const { acceptedText = options.text } = options;
  const accepted = acceptedText === options.text ? current : compileAccepted(acceptedText, options);
  let inForce = settle(current, accepted, false, 1, clock.nowMs());
  let lastError: PolicyStatus['lastError'];

  const reloadLocked = (text: string, acceptWidening: boolean): ReloadOutcome => {
    const compiled = compileConfig(text, options);
    if (!compiled.ok) {
      lastError = { atMs: clock.nowMs(), violations: compiled.violations };
      return failed(inForce, compiled.violations);
    }
    const generation = inForce.snapshot.generation + 1;
    // INVARIANT: 2 one assignment under the write lock; whoever started work under the old generation has left it.
    inForce = settle(compiled.policy, inForce.accepted, acceptWidening, generation, clock.nowMs());
    lastError = undefined;
    return succeeded(inForce, started);
  };

  return {
    snapshot: () => inForce.snapshot,
    decide: (request) => decideInForce(inForce, request, selfId),
    decideOutbound: (request) => decideOutboundInForce(inForce, request),
    whileHeld: (fn) => lock.read(fn),
    async reload(text, { acceptWidening }) {
      const { outcome, before, now } = await lock.write(() => {
        const earlier = inForce.snapshot;
        const result = reloadLocked(text, acceptWidening);
        return { outcome: result, before: earlier, now: inForce.snapshot };
      });
      if (now !== before) for (const listener of [...listeners]) listener(now, before);
      return outcome;
    },
    status: () => statusOf(inForce, lastError),
    acceptedText: () => inForce.accepted.text,
    onChange(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

function compileOrThrow(text: string, options: CompileOptions): CompiledPolicy {
  const compiled = compileConfig(text, options);
  if (compiled.ok) return compiled.policy;
  throw new WritError('CONFIG_INVALID', `the configuration does not load\n${formatViolations(compiled.violations)}`, {
    details: { violations: compiled.violations.length },
    nextSteps: ['mend the lines above and run: writ policy validate'],
  });
}

/** An accepted text that this program no longer loads bounds everything to nothing, until a person accepts anew. */
function compileAccepted(text: string, options: CompileOptions): CompiledPolicy {
  const compiled = compileConfig(text, options);
  return compiled.ok ? compiled.policy : compileOrThrow(NOTHING, options);
}

/** What is in force after a load: the new policy alone, or, where it gives more unaccepted, the stricter of both. */
function settle(
  current: CompiledPolicy,
  accepted: CompiledPolicy,
  acceptWidening: boolean,
  generation: number,
  loadedAtMs: number,
): InForce {
  const changes = acceptWidening ? [] : diffPolicies(accepted.config, current.config);
  const parked = changes.filter(({ effect }) => effect === 'gains');
  const { digest, deprecations } = current;
  const config = parked.length > 0 ? meetConfigs(accepted.config, current.config) : current.config;
  return {
    snapshot: { generation, digest, config, deprecations },
    current,
    accepted: parked.length > 0 ? accepted : current,
    parked,
    loadedAtMs,
  };
}

function statusOf(inForce: InForce, lastError: PolicyStatus['lastError']): PolicyStatus {
  const { snapshot, accepted, parked, loadedAtMs } = inForce;
  return {
    generation: snapshot.generation,
    digest: snapshot.digest,
    acceptedDigest: accepted.digest,
    loadedAtMs,
    deprecations: snapshot.deprecations,
    ...(lastError ? { lastError } : {}),
    ...(parked.length > 0 ? { parked } : {}),
  };
}

function succeeded(now: InForce, started: Config): ReloadOutcome {
  return {
    reloaded: true,
    generation: now.snapshot.generation,
    ...(now.parked.length > 0 ? { parked: now.parked } : {}),
    restartNeeded: restartNeeded(started, now.current.config),
  };
}

function failed(before: InForce, violations: readonly Violation[]): ReloadOutcome {
  return { reloaded: false, generation: before.snapshot.generation, violations, restartNeeded: [] };
}

function restartNeeded(before: Config, now: Config): readonly string[] {
  return [
    ...(before.node.listen === now.node.listen ? [] : ['node.listen']),
    ...(before.gateway.listen === now.gateway.listen ? [] : ['gateway.listen']),
  ];
}

function decideInForce({ snapshot, current, accepted }: InForce, request: DecisionRequest, selfId: string): Decision {
  const frame = { generation: snapshot.generation, selfId };
  const decision = decideWith(current.index, request, frame);
  if (accepted === current) return decision;
  return stricterDecision(decideWith(accepted.index, request, frame), decision, snapshot.config);
}

function decideOutboundInForce({ snapshot, current, accepted }: InForce, request: OutboundRequest): Decision {
  const decision = decideOutboundWith(current.index, request, snapshot.generation);
  if (accepted === current) return decision;
  const before = decideOutboundWith(accepted.index, request, snapshot.generation);
  return before.effect === 'deny' ? before : decision;
}
