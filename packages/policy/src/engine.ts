import { type Clock, createRwLock, foldId, Mutex, nextTurn } from '@writ/core';
import { type Bounds, gainsBeyond, isShut, narrowBounds, readBounds } from './bounds.ts';
import { type CompileResult, compileConfig, compileOrThrow } from './compile.ts';
import { decideWith } from './decide.ts';
import { intersectConfigs } from './meet.ts';
import { decideOutboundWith } from './outbound.ts';
import { movedAddresses } from './own-addresses.ts';
import { type CompiledPolicy, peersById } from './policy-index.ts';
import { finish, finishInSlices, type Sliced } from './slices.ts';
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
  UpstreamRequest,
  Violation,
} from './types.ts';
import { decideUpstreamWith } from './upstream.ts';

/** Compiles a text as `compileConfig` does, perhaps elsewhere. Rejects where it could not be tried. */
export type PolicyCompiler = (text: string) => Promise<CompileResult>;

export interface PolicyEngineOptions {
  /** The text to begin with, or what `compileConfig` made of it. */
  readonly text: string | CompiledPolicy;
  /** Compiles what is loaded later. Absent: in place, which holds up everything else for as long as it takes. */
  readonly compile?: PolicyCompiler;
  readonly clock: Clock;
  /** This node's own id: work that was here before is refused. */
  readonly selfId: string;
  /**
   * Texts of what `acceptedTexts()` gave before a restart; empty: they cannot be read any more. Where `text` goes beyond it, the difference is parked from the
   * start. Absent: `text` itself is the accepted one.
   */
  readonly acceptedTexts?: readonly string[];
  /** Told of each listener that threw; the others are called all the same, and the reload is in force. */
  readonly onListenerError?: (error: unknown) => void;
}

/** What is in force: swapped as one reference, so that nobody sees half of a change. */
interface InForce {
  readonly snapshot: Snapshot;
  /** The policy of the file. */
  readonly current: CompiledPolicy;
  /** The policy that a person has accepted last, and what bounds it since; `current` alone unless a change is parked. */
  readonly bounds: Bounds;
  /** Those of `bounds` that decide besides `current`. */
  readonly others: readonly CompiledPolicy[];
  readonly parked: readonly PolicyChange[];
  readonly loadedAtMs: number;
}

/**
 * The engine of one node. It exists only after the text has loaded and its own tests have held; throws CONFIG_INVALID
 * with every violation otherwise.
 */
export function createPolicyEngine(options: PolicyEngineOptions): PolicyEngine {
  const { clock } = options;
  const selfId = foldId(options.selfId);
  const lock = createRwLock();
  // Reloads take turns from their first step to their last: what one compares with is what it replaces.
  const turn = new Mutex();
  const { compile = async (text) => compileConfig(text) } = options;
  const listeners = new Set<(now: Snapshot, before: Snapshot) => void>();
  const current = typeof options.text === 'string' ? compileOrThrow(options.text) : options.text;
  const { acceptedTexts } = options;
  const bounds: Bounds = acceptedTexts === undefined ? [current] : readBounds(acceptedTexts, [current]);
  let inForce = finish(settle(current, bounds, 1, clock));
  // Addresses are bound once, at the start of the process.
  const started = inForce.snapshot.config;
  let lastError: PolicyStatus['lastError'];

  const reloadInTurn = async (text: string, acceptWidening: boolean): Promise<ReloadOutcome> => {
    const compiled = await compile(text);
    if (!compiled.ok) {
      lastError = { atMs: clock.nowMs(), violations: compiled.violations };
      return failed(inForce, compiled.violations);
    }
    const before = inForce;
    const accepted: Bounds = acceptWidening ? [compiled.policy] : before.bounds;
    const now = await finishInSlices(settle(compiled.policy, accepted, before.snapshot.generation + 1, clock), clock);
    // INVARIANT: 2 one assignment under the write lock; whoever started work under the old generation has left it.
    await lock.write(() => {
      inForce = now;
      lastError = undefined;
    });
    await tell(now.snapshot, before.snapshot);
    return succeeded(now, started);
  };

  // What listeners do (work withdrawn, links cut) is owed by each of them, whatever becomes of another. All have done it when
  // the reload is acknowledged; others have their turn between two of them.
  const tell = async (now: Snapshot, before: Snapshot): Promise<void> => {
    for (const listener of [...listeners]) {
      await nextTurn();
      // Meanwhile it may have been taken out, with all that it would work on.
      if (!listeners.has(listener)) continue;
      try {
        listener(now, before);
      } catch (error) {
        options.onListenerError?.(error);
      }
    }
  };

  return {
    snapshot: () => inForce.snapshot,
    decide: (request) => decideInForce(inForce, request, selfId),
    decideOutbound: (request) => decideOutboundInForce(inForce, request),
    decideUpstream: (request) => decideUpstreamInForce(inForce, request),
    whileHeld: (fn) => lock.read(fn),
    reload: (text, { acceptWidening }) => turn.runExclusive(() => reloadInTurn(text, acceptWidening)),
    noteUnreadable(reason) {
      lastError = { atMs: clock.nowMs(), violations: [], unreadable: reason };
    },
    status: () => statusOf(inForce, started, lastError),
    acceptedTexts: () => inForce.bounds.map(({ digest, text }) => ({ digest, text })),
    onChange(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** What is in force after a load: the new policy alone, or, where it gives more unaccepted, the strictest of all. */
function* settle(
  current: CompiledPolicy,
  before: Bounds,
  generation: number,
  clock: Pick<Clock, 'nowMs'>,
): Sliced<InForce> {
  const parked = yield* gainsBeyond(before, current);
  const { digest, deprecations } = current;
  // INVARIANT: 2 without a yes the bound only shrinks: what one text took away, no later one gives back.
  const bounds: Bounds = parked.length > 0 ? yield* narrowBounds(before, current) : [current];
  const others = bounds.filter((bound) => bound.digest !== current.digest);
  // What cannot be compared stays as it was accepted: the accepted text stands first, also where it is the current one again.
  const [accepted] = bounds;
  let { config } = accepted;
  const since = others.filter((bound) => bound !== accepted);
  const further = since.length === 0 && accepted.digest === current.digest ? [] : [...since, current];
  for (const next of further) config = yield* intersectConfigs(config, next.config);
  const peers = config === current.config ? current.index.peers : yield* peersById(config);
  const snapshot = { generation, digest, config, peer: (id: string) => peers.get(id), deprecations };
  return { snapshot, current, bounds, others, parked, loadedAtMs: clock.nowMs() };
}

function statusOf(inForce: InForce, started: Config, lastError: PolicyStatus['lastError']): PolicyStatus {
  const { snapshot, bounds, parked, loadedAtMs } = inForce;
  return {
    generation: snapshot.generation,
    digest: snapshot.digest,
    acceptedDigest: bounds[0].digest,
    loadedAtMs,
    deprecations: snapshot.deprecations,
    ...(lastError ? { lastError } : {}),
    ...(parked.length > 0 ? { parked } : {}),
    isShut: isShut(bounds),
    restartNeeded: movedAddresses(started, snapshot.config),
    addressesWaiting: movedAddresses(snapshot.config, inForce.current.config),
  };
}

function succeeded(now: InForce, started: Config): ReloadOutcome {
  return {
    reloaded: true,
    generation: now.snapshot.generation,
    ...(now.parked.length > 0 ? { parked: now.parked } : {}),
    restartNeeded: movedAddresses(started, now.snapshot.config),
  };
}

function failed(before: InForce, violations: readonly Violation[]): ReloadOutcome {
  return { reloaded: false, generation: before.snapshot.generation, violations, restartNeeded: [] };
}

function decideInForce({ snapshot, current, others }: InForce, request: DecisionRequest, selfId: string): Decision {
  const frame = { generation: snapshot.generation, selfId };
  const decision = decideWith(current.index, request, frame);
  if (others.length === 0) return decision;
  const bounding = others.map(({ index }) => decideWith(index, request, frame));
  const denied = bounding.find(({ effect }) => effect === 'deny');
  const stricter = (b: Decision, a: Decision): Decision => stricterDecision(a, b, snapshot.config);
  return denied ? stricter(decision, denied) : bounding.reduce(stricter, decision);
}

function decideUpstreamInForce({ snapshot, current, others }: InForce, request: UpstreamRequest): Decision {
  const decide = ({ index }: CompiledPolicy) => decideUpstreamWith(index, request, snapshot.generation);
  return others.map(decide).find(({ effect }) => effect === 'deny') ?? decide(current);
}

function decideOutboundInForce({ snapshot, current, others }: InForce, request: OutboundRequest): Decision {
  const decide = ({ index }: CompiledPolicy) => decideOutboundWith(index, request, snapshot.generation);
  return others.map(decide).find(({ effect }) => effect === 'deny') ?? decide(current);
}
