import { deserialize, serialize } from 'node:v8';
import type { CompileResult } from './compile.ts';
import { lookUpPlace, type PackedPlaces, packPlaces } from './packed-places.ts';
import { createPlaceFinder } from './place-finder.ts';
import { findPlaces } from './places.ts';
import { type CompiledPolicy, indexInSlices } from './policy-index.ts';
import type { Sliced } from './slices.ts';
import type { Config, Deprecation, Violation } from './types.ts';

/** Parts of a configuration that grow with the file. */
const LONG = ['profiles', 'runners', 'workspaces', 'peers', 'origins', 'upstreams'] as const;
type Long = (typeof LONG)[number];

/** Entries a piece: taking one up has to be short. */
const ENTRIES = 128;

/** What came of compiling, for another thread: bytes in pieces that are small enough to be taken up one at a time. */
export type PackedResult =
  | { readonly ok: false; readonly violations: readonly Violation[] }
  | {
      readonly ok: true;
      readonly digest: string;
      readonly deprecations: readonly Deprecation[];
      /** The configuration without its long parts. */
      readonly rest: Uint8Array;
      readonly pieces: readonly { readonly part: Long; readonly entries: Uint8Array }[];
      readonly places: PackedPlaces;
    };

/** Packs what `compileConfig` gave, with the place of every key, so that nobody has to read the text again. */
export function packResult(result: CompileResult): PackedResult {
  if (!result.ok) return result;
  const { text, digest, deprecations, config } = result.policy;
  const { profiles, runners, workspaces, peers, origins, upstreams, ...rest } = config;
  const long: Pick<Config, Long> = { profiles, runners, workspaces, peers, origins, upstreams };
  const pieces = LONG.flatMap((part) =>
    inPieces([...long[part]]).map((entries) => ({ part, entries: serialize(shareEqual(entries)) })),
  );
  return { ok: true, digest, deprecations, rest: serialize(rest), pieces, places: packPlaces(findPlaces(text)) };
}

/** What `packResult` packed, of this text; a rest may be taken after each piece. */
export function* unpackResult(packed: PackedResult, text: string): Sliced<CompileResult> {
  if (!packed.ok) return packed;
  const { digest, deprecations, pieces, places } = packed;
  const long = Object.fromEntries(LONG.map((part) => [part, new Map<string, unknown>()]));
  for (const { part, entries } of pieces) {
    for (const [name, value] of deserialize(entries)) long[part]?.set(name, value);
    yield;
  }
  const config: Config = { ...deserialize(packed.rest), ...long };
  const position = createPlaceFinder((path) => lookUpPlace(places, path));
  const index = yield* indexInSlices(config, position);
  const policy: CompiledPolicy = { text, digest, config, deprecations, index };
  return { ok: true, policy };
}

/**
 * The entries with equal lists and tables as one: most peers of a large file say the same, and what is taken up is all
 * kept, so that it is fewer things that make it long.
 */
function shareEqual(entries: readonly (readonly [string, unknown])[]): readonly (readonly [string, unknown])[] {
  const seen = new Map<string, unknown>();
  const share = (value: unknown): unknown => {
    if (typeof value !== 'object') return value;
    const key = JSON.stringify(value);
    const shared = seen.get(key) ?? value;
    seen.set(key, shared);
    return shared;
  };
  return entries.map(([name, entry]) => [
    name,
    typeof entry === 'object' && entry !== null
      ? Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, share(value)]))
      : entry,
  ]);
}

function inPieces<T>(entries: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(entries.length / ENTRIES) }, (_, at) =>
    entries.slice(at * ENTRIES, (at + 1) * ENTRIES),
  );
}
