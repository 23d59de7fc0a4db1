import { deserialize, serialize } from 'node:v8';
import { sha256Hex } from '@writ/core';
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

/** Entries of a piece, about and at most: taking one up has to be short. */
const USUAL_ENTRIES = 128;
const MOST_ENTRIES = 512;

/** What came of compiling, for another thread: bytes in pieces that are small enough to be taken up one at a time. */
export type PackedResult =
  | { readonly ok: false; readonly violations: readonly Violation[] }
  | {
      readonly ok: true;
      readonly digest: string;
      readonly deprecations: readonly Deprecation[];
      /** The configuration without its long parts. */
      readonly rest: Uint8Array;
      readonly pieces: readonly Piece[];
      readonly places: PackedPlaces;
    };

interface Piece {
  readonly part: Long;
  /** `Entries`, serialised. */
  readonly entries: Uint8Array;
  /** SHA-256 of them, hex. */
  readonly digest: string;
}

interface Entries {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
}

/** Packs what `compileConfig` gave, with the place of every key, so that nobody has to read the text again. */
export function packResult(result: CompileResult): PackedResult {
  if (!result.ok) return result;
  const { text, digest, deprecations, config } = result.policy;
  const { profiles, runners, workspaces, peers, origins, upstreams, ...rest } = config;
  const long: Pick<Config, Long> = { profiles, runners, workspaces, peers, origins, upstreams };
  const pieces = LONG.flatMap((part) => inPieces([...long[part].keys()]).map((names) => pack(part, names, long[part])));
  return { ok: true, digest, deprecations, rest: serialize(rest), pieces, places: packPlaces(findPlaces(text)) };
}

function pack(part: Long, names: readonly string[], of: ReadonlyMap<string, unknown>): Piece {
  const content: Entries = { names, values: shareEqual(names.map((name) => of.get(name))) };
  const entries = serialize(content);
  return { part, entries, digest: sha256Hex(entries) };
}

/** The memory that a thread can hand over with what it packed, instead of a copy. */
export function memoryOf(packed: PackedResult): readonly ArrayBuffer[] {
  if (!packed.ok) return [];
  const all = [packed.rest, packed.places.numbers, ...packed.pieces.map(({ entries }) => entries)];
  return all.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer);
}

/** Takes up what `packResult` packed, of this text; a rest may be taken after each piece. */
export type Unpack = (packed: PackedResult, text: string) => Sliced<CompileResult>;

/**
 * Takes policies up one after the other. A piece of peers that is in the one before as well is that one's: of a long file
 * of which little has changed little is new, so that neither taking it up nor collecting the garbage after it takes long.
 * Only of peers: what the same words of a profile mean depends on the rest of the file, and whoever compares two policies
 * tells their profiles apart.
 */
export function createUnpack(): Unpack {
  let before: ReadonlyMap<string, Entries> = new Map();
  return function* unpack(packed, text) {
    if (!packed.ok) return packed;
    const { digest, deprecations, pieces, places } = packed;
    const long = Object.fromEntries(LONG.map((part) => [part, new Map<string, unknown>()]));
    const taken = new Map<string, Entries>();
    for (const { part, entries, digest: content } of pieces) {
      const known = part === 'peers' ? before.get(content) : undefined;
      const { names, values } = known ?? readEntries(entries);
      if (part === 'peers') taken.set(content, { names, values });
      names.forEach((name, at) => void long[part]?.set(name, values[at]));
      yield;
    }
    before = taken;
    const config: Config = { ...deserialize(packed.rest), ...long };
    const position = createPlaceFinder((path) => lookUpPlace(places, path));
    const index = yield* indexInSlices(config, position);
    const policy: CompiledPolicy = { text, digest, config, deprecations, index };
    return { ok: true, policy };
  };
}

function readEntries(entries: Uint8Array): Entries {
  return deserialize(entries);
}

/**
 * The values with equal lists and tables as one: most peers of a large file say the same, and what is taken up is all
 * kept, so that it is fewer things that make it long.
 */
function shareEqual(values: readonly unknown[]): readonly unknown[] {
  const seen = new Map<string, unknown>();
  const share = (value: unknown): unknown => {
    if (typeof value !== 'object') return value;
    const key = JSON.stringify(value);
    const shared = seen.get(key) ?? value;
    seen.set(key, shared);
    return shared;
  };
  return values.map((value) =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, share(part)]))
      : value,
  );
}

/** In pieces that end where their last name says so: one name more or less moves no other piece. */
function inPieces(names: readonly string[]): readonly (readonly string[])[] {
  const pieces: string[][] = [];
  let piece: string[] = [];
  for (const name of names) {
    piece.push(name);
    const ends = Number.parseInt(sha256Hex(name).slice(0, 8), 16) % USUAL_ENTRIES === 0;
    if (!ends && piece.length < MOST_ENTRIES) continue;
    pieces.push(piece);
    piece = [];
  }
  return piece.length > 0 ? [...pieces, piece] : pieces;
}
