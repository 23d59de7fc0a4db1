import { sha256Hex } from '@writ/core';
import { buildConfig } from './config.ts';
import { type CompiledPolicy, indexConfig } from './policy-index.ts';
import { claimsDeprecation } from './profiles.ts';
import type { Report } from './readers.ts';
import { type Document, documentReader, type IsNodeId, looksLikeNodeId } from './schema.ts';
import { runSelfTests } from './self-tests.ts';
import { readSource } from './source.ts';
import type { Deprecation, Violation } from './types.ts';

export interface CompileOptions {
  /** Says whether a folded id is one, checksum included; absent: its shape is enough. */
  readonly isNodeId?: IsNodeId;
}

export type CompileResult =
  | { readonly ok: true; readonly policy: CompiledPolicy }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/**
 * A configuration text as a policy that may be put in force, or everything that is wrong with it, in the order of the
 * file. Pure: no files, no clock, no network.
 */
export function compileConfig(text: string, options: CompileOptions = {}): CompileResult {
  const parsed = readSource(text);
  if (!parsed.ok) return { ok: false, violations: [{ code: 'TOML_SYNTAX', path: '', ...parsed.failure }] };
  const { source } = parsed;
  const found: Violation[] = [];
  const report: Report = (code, path, message) => found.push({ code, path, message });
  const failed = (): CompileResult => ({ ok: false, violations: placeViolations(found, source.position) });

  const written = documentReader.read(source.value, '', report);
  if (!written) return failed();
  const config = buildConfig(written, options.isNodeId ?? looksLikeNodeId, report);
  if (found.length > 0) return failed();

  const index = indexConfig(config, source.position);
  runSelfTests(written.tests ?? [], index, report);
  if (found.length > 0) return failed();
  const deprecations = findDeprecations(written).map((one) => withPosition(one, source.position));
  return { ok: true, policy: { text, digest: sha256Hex(text), config, deprecations, index } };
}

function findDeprecations(written: Document): readonly Deprecation[] {
  return [...(written.profiles?.values() ?? [])]
    .filter(({ value }) => value.claims !== undefined)
    .map(({ path }) => claimsDeprecation(path));
}

type Place = CompiledPolicy['index']['position'];

function withPosition<T extends { readonly path: string }>(one: T, place: Place): T {
  const position = place(one.path);
  return position ? { ...one, position } : one;
}

function placeViolations(found: readonly Violation[], place: Place): readonly Violation[] {
  const placed = found.map((one) => withPosition(one, place));
  return placed.sort((a, b) => (a.position?.line ?? 0) - (b.position?.line ?? 0));
}

/** Violations as lines for people: place, key path, what is wrong. */
export function formatViolations(violations: readonly Violation[]): string {
  return violations.map(formatViolation).join('\n');
}

function formatViolation({ code, path, position, message }: Violation): string {
  const place = position ? `line ${position.line}, column ${position.column}: ` : '';
  return `${place}${path === '' ? '' : `${path}: `}${message} (${code})`;
}
