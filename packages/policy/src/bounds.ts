import { compileConfig, compileOrThrow } from './compile.ts';
import { comparePolicies, diffPolicies } from './diff.ts';
import type { CompiledPolicy } from './policy-index.ts';
import { finish, type Sliced } from './slices.ts';
import type { PolicyChange } from './types.ts';

/**
 * What nothing may go beyond until a person accepts: the text accepted last, then every text loaded since that took
 * something away. All of them decide, and the strictest wins.
 */
export type Bounds = readonly [accepted: CompiledPolicy, ...since: CompiledPolicy[]];

/** Most texts of a bound; each of them decides every request. */
const MAX_TEXTS = 16;

/** A text that nothing has accepted: it lets nobody in. */
const NOTHING = 'schema = 1\n[node]\nname = "nothing"\n';

/** What `next` gives someone beyond any text of the bound, each thing once; empty where it is within them all. */
export function* gainsBeyond(bounds: Bounds, next: CompiledPolicy): Sliced<readonly PolicyChange[]> {
  const gains = new Map<string, PolicyChange>();
  for (const bound of bounds) {
    for (const change of yield* gainsOf(bound, next)) {
      gains.set(JSON.stringify(change), change);
      yield;
    }
  }
  return [...gains.values()];
}

/**
 * The bound after `next` has been in force without a person's yes. What it takes away stays away, whatever comes
 * after it, so that no sequence of edits leads back up.
 */
export function* narrowBounds(bounds: Bounds, next: CompiledPolicy): Sliced<Bounds> {
  const [accepted, ...since] = bounds;
  // A text that lies outside one that is kept takes nothing away; one that `next` lies within says nothing more.
  for (const bound of bounds) if (yield* isWithin(bound, next)) return bounds;
  const kept: CompiledPolicy[] = [];
  for (const bound of since) if (!(yield* isWithin(next, bound))) kept.push(bound);
  if (kept.length + 2 <= MAX_TEXTS) return [accepted, ...kept, next];
  // Dropping any of them would give something back. Nothing lies within all of them, and a person can accept anew.
  return [accepted, compileOrThrow(NOTHING)];
}

/** True where one of the texts lets nobody in, so that none of them does. */
export function isShut(bounds: Bounds): boolean {
  return bounds.some(({ text }) => text === NOTHING);
}

/**
 * The bound of these texts, the accepted one first, as `PolicyEngine.acceptedTexts` gave them. One that this program no
 * longer loads, like none at all, bounds everything to nothing until a person accepts anew. `known` need not be
 * compiled again.
 */
export function readBounds(texts: readonly string[], known: readonly CompiledPolicy[] = []): Bounds {
  const [accepted = NOTHING, ...since] = texts;
  const compile = (text: string): CompiledPolicy => {
    const compiled = compileConfig(text);
    return compiled.ok ? compiled.policy : compileOrThrow(NOTHING);
  };
  const policyOf = (text: string): CompiledPolicy => known.find((policy) => policy.text === text) ?? compile(text);
  return [policyOf(accepted), ...since.map(policyOf)];
}

/** What `next` would change against the texts of a bound: gains beyond all of them, losses from what was accepted. */
export function changesFrom(texts: readonly string[], next: CompiledPolicy): readonly PolicyChange[] {
  const bounds = readBounds(texts, [next]);
  const losses = diffPolicies(bounds[0].config, next.config).filter(({ effect }) => effect === 'loses');
  return [...finish(gainsBeyond(bounds, next)), ...losses];
}

function* gainsOf(before: CompiledPolicy, after: CompiledPolicy): Sliced<readonly PolicyChange[]> {
  if (before.digest === after.digest) return [];
  const changes = yield* comparePolicies(before.config, after.config);
  return changes.filter(({ effect }) => effect === 'gains');
}

function* isWithin(inner: CompiledPolicy, outer: CompiledPolicy): Sliced<boolean> {
  const gains = yield* gainsOf(outer, inner);
  return gains.length === 0;
}
